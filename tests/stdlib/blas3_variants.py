#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All routines of blas3.pbcc under every script that composing leaves, and every other version that they have, against loops in double
precision: tests 9 and 17 of optimisation-scripts 10.

  blas3_variants.py PBC [PART/PARTS] [--on=processor,fake,opencl]

The routines are the 24 variants of optimisation-scripts 7, with both kinds of diagonal, in double and in float. Each alternative of each
runs with all sizes, in place and not, and for several alpha and beta: on the processor, sequential and in tasks, by two schedules; and on the
fake device and on PoCL, if this machine has it. What a routine should not read is not a number (triangles, symmetric halves, diagonals of
ones), and neither is one cell of B in some runs.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PBC, HERE = os.path.abspath(sys.argv[1]), os.path.dirname(os.path.abspath(__file__))
SIZES = [1, 5, 16, 17, 64, 100, 257]
# alpha, beta, in place, and with a cell that is not a number
CASES = [(1.5, -0.5, True, False), (-1, 1, False, True), (2, 0, True, True), (0, 1, False, False)]
# Smaller tiles than by default, so that matrices have several, and strips fit into the memory of a group of the fake device.
SHAPE = {"double": {"cells_x_Cells": 3, "cells_y_Cells": 3}, "float": {"cells_x_Cells": 4, "cells_y_Cells": 4}}
# Two schedules, of which one has tiles that adaptors of triangles cut.
WORDS = ["-O1", f"-I{HERE}", f"--schedule={HERE}/blas3_variants.sched"]


def variants():
    """The routines, without the letter of the element."""
    yield from ("gemm" + a + b for a in "NT" for b in "NT")
    yield from ("symm" + side + half for side in "LR" for half in "LU")
    yield from (kind + side + half + op + diagonal for kind in ("trmm", "trsm") for side in "LR" for half in "LU" for op in "NT" for diagonal in "NU")


def truth(holds):
    return "true" if holds else "false"


def calls(name, first, others, numbers):
    """The routine with its last matrix as an input of its own, and in place."""
    into = lambda matrix: f"{name}(c, {first}, {', '.join(others[:-1] + [matrix])}, {numbers});"
    return f"if (inPlace) {{ {into('c')} }} else {{ {into(others[-1])} }}"


def test_of(letter, name):
    """Statements that call the routine and compare its result. Matrices with another shape are called as those that they stand for."""
    kind, how, name = name[:4], name[4:], letter + name
    if kind == "gemm":
        a, b = "g" if how[0] == "N" else "gt", "f" if how[1] == "N" else "ft"
        given = [f"{m}.transposed()" if m[1:] else m for m in (a, b)]
        product = f"product({given[0]}, Triangle{{.isFull = true}}, true, {given[1]}, alpha, c)"
        return f"""copy(d, c);
    fill({a}, 6);
    fill({b}, 7, hasNone);
    {calls(name, a, [b, "d"], "alpha, beta")}
    wrong += isWrong("{name}", plus({product}, beta, d), c);"""
    isLeft, isLower = how[0] == "L", how[1] == "L"
    if kind == "symm":
        triangle, reference = f"Triangle{{.isLower = {truth(isLower)}, .isSymmetric = true}}", "plus(product(a, {0}, {1}, b, alpha, b), beta, d)"
        into, given = calls(name, "a", ["b", "d"], "alpha, beta"), "d"
    else:
        triangle = f"Triangle{{.isLower = {truth(isLower)}, .isTransposed = {truth(how[2] == 'T')}, .isUnit = {truth(how[3] == 'U')}}}"
        reference = "product(a, {0}, {1}, b, alpha, b)" if kind == "trmm" else "solution(a, {0}, {1}, b, alpha)"
        into, given = calls(name, "a", ["b"], "alpha"), "b"
    text = f"""fill(a, {triangle}, 1);
    copy({given}, c);
    {into}
    wrong += isWrong("{name}", {reference.format(triangle, truth(isLeft))}, c);"""
    return text if isLeft else re.sub(r"\b([bcd])\b", r"\1t", text)


def program(element, names):
    letter = {"double": "D", "float": "S"}[element]
    shapes = "a[n, n] b[m, n] c[m, n] d[m, n] bt[n, m] ct[n, m] dt[n, m] g[l, n] gt[n, l] f[m, l] ft[l, m]".replace("] ", "];").split(";")
    matrices = ", ".join(f"{m} : {element}" for m in shapes)
    tests = "\n    ".join(test_of(letter, name) for name in names)
    return f"""#include <blas3.pbcc>
%{{
#include "blas3_reference.h"
using namespace blas3_test;
%}}
transform Routines from N[n], M[m], L[l], alpha, beta, place, none to Wrong {{
  to(Wrong wrong) from(N all_n, M all_m, L all_l) using({matrices}) {{
    const bool inPlace = place != 0, hasNone = none != 0;
    wrong = 0;
    fill(b, 2, hasNone);
    fill(bt, 4, hasNone);
    fill(d, 3);
    fill(dt, 5);
    {tests}
  }}
}}
main transform Sizes from alpha, beta, place, none to Wrong {{
  to(Wrong wrong) using(longest[{max(SIZES)}], one) {{
    const int sizes[] = {{{', '.join(map(str, SIZES))}}}, count = {len(SIZES)};
    wrong = 0;
    for (int i = 0; i < count; ++i) {{
      Routines(one, longest.region(0, sizes[i]), longest.region(0, sizes[(i + 3) % count]), longest.region(0, sizes[(i + 5) % count]), alpha, beta, place, none);
      wrong += one;
    }}
  }}
}}
"""


def check(holds, what):
    if not holds:
        sys.exit(f"blas3_variants: {what}")


def run(*words, devices="none"):
    # PoCL's optimiser takes most of the time that a kernel costs.
    settings = {"PB_DEVICES": devices, "PB_DEVICE_COUNTERS": "yes", "POCL_CACHE_DIR": os.path.join(os.getcwd(), "pocl"), "POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"}
    done = subprocess.run(words, capture_output=True, text=True, timeout=1800, env={**os.environ, **settings})
    check(done.returncode == 0, f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def alternatives(info):
    """Of each routine, those of the processor and those of devices."""
    sites = [(t["name"], s) for t in info for s in t["sites"]]
    of = {t: [a["name"] for a in s["alternatives"]] for t, s in sites if s["name"] == "place_Cells"}
    return [{t: [a for a in all if a.startswith("gpu") == isDevice] for t, all in of.items()} for isDevice in (False, True)]


def shapes(info, shape):
    """The lines for tiles, of each routine that has some."""
    return {t["name"]: "".join(f"{x['name']} = {shape[x['name']]}\n" for x in t["tunables"] if x["name"] in shape) for t in info}


def runs(of, devices, lines, cases, shape):
    """Every alternative of every routine; those with fewer take some of theirs again."""
    wrong = []
    for k in range(max(map(len, of.values()))):
        chosen = {t: all[k % len(all)] for t, all in of.items()}
        with open("prog.cfg", "w") as f:
            f.write("".join(f"[{t}]\n{lines}" for t in ("Sizes", "Routines")))
            f.write("".join(f'[{t}]\n{lines}place_Cells = "{a}"\n{shape[t]}' for t, a in chosen.items()))
        for case in cases:
            made = run("./prog", "--config=prog.cfg", "--threads=2", *(str(float(v)) for v in case), "-", devices=devices)
            where = f"{devices}: {chosen}, {lines!r}, case {case}\n{made.stderr}"
            if made.stdout.split()[-1] != "0":
                wrong.append(where)
            if devices != "none":
                launches = sum(int(n) for n in re.findall(r": (\d+) launches", made.stderr))
                check(launches >= len(of) * len(SIZES) and "runs" not in made.stderr, f"not everything ran on the device: {where}")
    return wrong


def test(element, names, on):
    with open("prog.pbcc", "w") as f:
        f.write(program(element, names))
    run(PBC, "prog.pbcc", "-o", "prog", *WORDS, *([] if {"fake", "opencl"} & set(on) else ["--no-devices"]))
    info = json.loads(run("./prog", "--info").stdout)["transforms"]
    (processor, device), shape = alternatives(info), shapes(info, SHAPE[element])
    check(len(processor) == len(names) and all(len(all) >= 2 for all in processor.values()), f"choices: {processor}")
    wrong, count = [], 0
    if "processor" in on:
        for lines in ("sequential_cutoff = 1000\n", "sequential_cutoff = 0\nsplit_size = 8\n"):
            wrong += runs(processor, "none", lines, CASES, shape)
        count += sum(map(len, processor.values()))
    for name in ("fake", "opencl"):
        if name in on and json.loads(run("./prog", "--info", devices=name).stdout)["devices"]:
            check(all(device.values()), f"choices on devices: {device}")
            wrong += runs(device, name, "sequential_cutoff = 0\n", CASES, shape)
            count += sum(map(len, device.values()))
    check(not wrong, "\n".join(wrong))
    return count


part, parts, on = 0, 1, ["processor", "fake", "opencl"]
for word in sys.argv[2:]:
    if word.startswith("--on="):
        on = word[5:].split(",")
    else:
        part, parts = map(int, word.split("/"))
check(set(on) <= {"processor", "fake", "opencl"} and part < parts, __doc__)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    count = 0
    for element in ("double", "float"):
        names = list(variants())
        check(len(names) == 40, names)
        # The same routine is in other parts in double and in float.
        count += test(element, [name for k, name in enumerate(names) if (k + (element == "float") * parts // 2) % parts == part], on)
    os.chdir("/")
print(f"blas3_variants: {count} alternatives agree")
