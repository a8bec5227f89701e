#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a test of a library with the system's compiler of C or C++ against the generated header, and runs it.

  run.py PBC TEST.c|TEST.cpp [FLAG...]

The comments `/* library: NAME */` in the test say which programs beside it become libraries; the test itself opens those
of `/* opened: NAME */`. FLAG is for pbc, --shared unless another is given. The test must end with status 0 and print nothing: a library never does. The library must show
no symbol but its own functions.
"""
import os, re, subprocess, sys, tempfile

PBC, SOURCE, FLAGS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:] or ["--shared"]
FOLDER = os.path.dirname(SOURCE)

def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode or done.stdout or done.stderr:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")

def symbols(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return [line.split()[-1] for line in lines.splitlines()]

def main():
    with open(SOURCE, encoding="utf-8") as file:
        made = re.findall(r"/\* (library|opened): (\w+) \*/", file.read())
    names = [name for kind, name in made if kind == "library"]
    is_static = "--static" in FLAGS
    with tempfile.TemporaryDirectory() as build:
        for _, name in made:
            library = os.path.join(build, f"lib{name}.{'a' if is_static else 'so'}")
            run([PBC, *FLAGS, os.path.join(FOLDER, name + ".pbcc"), "-o", library])
            if not is_static:
                strange = [s for s in symbols(library) if not s.startswith(f"pbc_{name}_") and s != "pbc_this_library"]
                assert not strange, strange
        program = os.path.join(build, "program")
        objects = program + ".o"
        is_cxx = SOURCE.endswith(".cpp")
        language = ["c++", "-std=c++20"] if is_cxx else ["cc", "-std=c99", "-D_POSIX_C_SOURCE=200809L"]
        run([*language, "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", build,
             "-I", FOLDER, "-c", SOURCE, "-o", objects])
        libraries = [f"-l{name}" for name in names] + (["-lpng", "-lz"] if is_static else [])
        run(["c++" if is_static or is_cxx else "cc", objects, "-o", program, "-L", build, "-Wl,-rpath," + build, *libraries, "-lpthread", "-ldl", "-lm"])
        run([program], cwd=build, timeout=100)

main()
