#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The routines of pbc_cblas.h, of a library of blas3.pbcc, against loops and the system's CBLAS. cblas.py PBC STDLIB

What matters is which routine is called with which arguments; the library is compiled quickly.
"""
import os, subprocess, sys, tempfile

PBC, STDLIB = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cblas")

def run(*command, said=""):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=250)
    assert done.returncode == 0 and (said is None or done.stdout == said), (command, done.returncode, done.stdout)
    return done.stdout

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    run(PBC, "--shared", "-O0", os.path.join(STDLIB, "blas3.pbcc"))
    flags = ["-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I.", "-I" + STDLIB, "-c"]
    run("cc", "-std=c99", *flags, os.path.join(HERE, "second.c"), "-o", "second.o")
    run("c++", "-std=c++20", *flags, os.path.join(HERE, "check.cpp"), "-o", "check.o")
    run("c++", "check.o", "second.o", "-o", "check", "-L.", "-lblas3", "-lpthread", "-ldl", "-Wl,-rpath," + folder)
    print(run("./check", "--say", said=None), end="")
