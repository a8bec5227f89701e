#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much processor time composing the schedules of the 24 variants of optimisation-scripts 7 takes, filtering included: compose_time.py PBC STDLIB

A program that calls all of them is explained with the library's schedules, and with a copy of the library that has none; the difference is composing.
The bar is 30 s for all of them, which is more than twice what the processor's and the devices' scripts take together (docs/notebook/compiling.md).
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile

PBC, LIBRARY = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
BAR = 30
WORDS = {"the processor": ["--no-devices"], "the processor and devices": []}


def variants():
    for name in ("gemm" + a + b for a in "NT" for b in "NT"):
        yield f"D{name}(c, a, b, d, 1, 1);"
    for name in ("symm" + side + half for side in "LR" for half in "LU"):
        yield f"D{name}(c, a, b, d, 1, 1);"
    for name in (kind + side + half + op + "N" for kind in ("trmm", "trsm") for side in "LR" for half in "LU" for op in "NT"):
        yield f"D{name}(c, a, b, 1);"


def program(include):
    calls = list(variants())
    assert len(calls) == 24
    return f"#include {include}\nmain transform P from A[n, n], B[n, n], D[n, n] to C[n, n] {{ to(C c) from(A a, B b, D d) {{ {' '.join(calls)} }} }}\n"


def seconds(include, words):
    """The processor time, and how many composed schedules there are."""
    with open("p.pbcc", "w") as f:
        f.write(program(include))
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    before = used()
    done = subprocess.run([PBC, "explain", *words, "p.pbcc"], capture_output=True, text=True, timeout=900)
    if done.returncode:
        sys.exit(done.stderr)
    return used() - before, done.stdout.count("place_Cells = cpu:") + done.stdout.count("place_Cells = gpu:")


failed = []
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    shutil.copy(os.path.join(LIBRARY, "blas3.pbcc"), "plain.pbcc")
    for name, words in WORDS.items():
        (all, count), (without, none) = seconds("<blas3.pbcc>", words), seconds('"plain.pbcc"', words)
        print(f"{name}: {all - without:.1f} s of processor time for {count} composed schedules, and {without:.1f} s for all else")
        if count < 8 or none or all - without > BAR:
            failed.append(f"{name}: {count} and {none} composed schedules in {all - without:.1f} s, where {BAR} s are allowed")
    os.chdir("/")
sys.exit("\n".join(failed) or 0)
