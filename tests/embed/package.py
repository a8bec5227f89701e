#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs pbc into a folder of its own and builds a project that finds it there. package.py BUILD"""
import os, subprocess, sys, tempfile

BUILD, PROJECT = os.path.abspath(sys.argv[1]), os.path.join(os.path.dirname(os.path.abspath(__file__)), "package")

def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}")
    return done.stdout

with tempfile.TemporaryDirectory() as folder:
    prefix, build = os.path.join(folder, "prefix"), os.path.join(folder, "build")
    run("cmake", "--install", BUILD, "--prefix", prefix)
    run("cmake", "-S", PROJECT, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", build)
    for program in ("use", "use_archive"):
        run(os.path.join(build, program))
    assert run(os.path.join(build, "smooth"), "--name").strip() == "Smooth"
    # Nothing has changed, so nothing is compiled again.
    assert "pbc smoothing" not in run("cmake", "--build", build)
