#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pkg-config says of pbc where it is installed is enough for a program in C. pkg_config.py BUILD"""
import os, shutil, subprocess, sys, tempfile

BUILD, USE = os.path.abspath(sys.argv[1]), os.path.join(os.path.dirname(os.path.abspath(__file__)), "package")
if not shutil.which("pkg-config"):
    print("there is no pkg-config")
    sys.exit(77)

def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100, **options)
    assert done.returncode == 0, (command, done.returncode, done.stdout)
    return done.stdout

with tempfile.TemporaryDirectory() as folder:
    run("cmake", "--install", BUILD, "--prefix", f"{folder}/first")
    os.rename(f"{folder}/first", f"{folder}/there") # it may be moved
    os.environ["PKG_CONFIG_PATH"] = f"{folder}/there/lib/pkgconfig"
    os.chdir(folder)
    say = lambda *words: run("pkg-config", *words, "pbc").split()
    pbc, = say("--variable=pbc")
    stdlib, = say("--variable=stdlib")
    assert os.path.isfile(f"{stdlib}/sort.pbcc"), stdlib
    assert run(pbc, "--version").split()[1] == say("--modversion")[0]
    program, tuned = os.path.join(USE, "smooth.pbcc"), os.path.join(USE, "tuned.cfg")
    for kind, name, more in (("--shared", "libsmoothing.so", []), ("--static", "libsmoothing.a", ["--static"])):
        os.mkdir(kind)
        run(pbc, kind, program, "-o", f"{kind}/{name}", "--config", tuned)
        run("cc", f"-I{folder}/{kind}", os.path.join(USE, "use.c"), "-o", f"{kind}/use", f"-L{folder}/{kind}", "-lsmoothing", *say("--cflags", "--libs", *more))
        run(f"{kind}/use", env={**os.environ, "LD_LIBRARY_PATH": kind})
