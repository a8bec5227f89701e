#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every script that composing leaves of two schedules, the library's and blas3_scripts.sched, for routines of blas3.pbcc, against sums in
double precision: tests 9 and 17 of optimisation-scripts 10.

  blas3_scripts.py PBC [devices]

With `devices`, those for devices, on the fake device: of products, since the rows of a solve wait for each other.

A run takes another alternative of each routine and another size, so that every alternative runs once and every size occurs. That is so
for some routines, which together have all sides, triangles, operations and element types. With PBC_ALL=1 all 24 variants
are compiled in double and float, and every alternative runs with every size, which takes 20 minutes.
"""
import json
import os
import subprocess
import sys
import tempfile

PBC, HERE = os.path.abspath(sys.argv[1]), os.path.dirname(os.path.abspath(__file__))
SIZES = [1, 5, 16, 17, 64, 100, 257]
ALL = os.environ.get("PBC_ALL")
ON_DEVICES = sys.argv[2:] == ["devices"]
SAMPLE = {"double": ["gemmTT", "symmLU", "trmmLUTN", "trsmRLTU"], "float": ["gemmNT", "symmRL", "trmmRUNU", "trsmLLNN"]}
if ON_DEVICES:
    SAMPLE = {"double": ["gemmTN", "symmLU", "trmmLUTN"], "float": ["symmRL", "trmmRUNU"]}
# Smaller tiles than by default, so that matrices have several, and strips of double fit into the memory of a group of the fake device.
SHAPE = "cells_x_Cells = 4\ncells_y_Cells = 4\n" if ON_DEVICES else ""
PARTS = 4  # of the routines that are compiled together: each program needs that much less memory


def variants():
    """The 24 of optimisation-scripts 7; every second triangle has a diagonal of ones."""
    yield from ("gemm" + a + b for a in "NT" for b in "NT")
    yield from ("symm" + side + half for side in "LR" for half in "LU")
    yield from (kind + side + half + op + "NU"["LU".index(half) ^ "NT".index(op)]
                for kind in ("trmm", "trsm") for side in "LR" for half in "LU" for op in "NT")


def truth(holds):
    return "true" if holds else "false"


def call(letter, name):
    """Statements that call the routine and compare its result."""
    kind, how = name[:4], name[4:]
    if kind == "gemm":
        a, b = "a.transposed()" if how[0] == "T" else "a", "b.transposed()" if how[1] == "T" else "b"
        return f"""blas3_test::fill(a, 6);
    {letter}{name}(c, a, {b}, d, 1.5, -0.5);
    wrong += blas3_test::isWrong("{letter}{name}", {a}, blas3_test::kFull, true, b, 1.5, d, -0.5, c);"""
    isLeft = how[0] == "L"
    b, c, d = ("b", "c", "d") if isLeft else ("bt", "ct", "dt")
    if kind == "symm":
        return f"SYMM({letter}{name}, {truth(isLeft)}, {truth(how[1] == 'L')}, {b}, {c}, {d})"
    return (f"{kind.upper()}({letter}{name}, {truth(isLeft)}, {truth(how[1] == 'L')}, {truth(how[2] == 'T')}, "
            f"{truth(how[3] == 'U')}, {b}, {c}, {c})")


def program(element, names):
    letter = {"double": "D", "float": "S"}[element]
    matrices = ", ".join(f"{m} : {element}" for m in ("a[n, n]", "b[m, n]", "c[m, n]", "d[m, n]", "bt[n, m]", "ct[n, m]", "dt[n, m]"))
    calls = "\n    ".join(call(letter, name) for name in names)
    return f"""#include "blas3_calls.inc"
main transform Routines param n param m to Wrong {{
  to(Wrong wrong) using({matrices}) {{
    wrong = 0;
    blas3_test::fill(b, 2);
    blas3_test::fill(d, 3);
    blas3_test::fill(bt, 4);
    blas3_test::fill(dt, 5);
    {calls}
  }}
}}
"""


def check(holds, what):
    if not holds:
        sys.exit(f"blas3_scripts: {what}")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=1800)
    check(done.returncode == 0, f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def choices():
    """The alternatives of each routine."""
    sites = [(t["name"], s) for t in json.loads(run("./prog", "--info").stdout)["transforms"] for s in t["sites"]]
    of = {t: [a["name"] for a in s["alternatives"]] for t, s in sites if s["name"] == "place_Cells"}
    return {t: [a for a in names if a.startswith("gpu:")] for t, names in of.items()} if ON_DEVICES else of


def runs(of):
    """The number of an alternative, which goes round for routines with fewer, and two sizes."""
    count = max(max(map(len, of.values())), len(SIZES))
    for k in range(count):
        for shift in range(len(SIZES)) if ALL else [0]:
            yield k, SIZES[(k + shift) % len(SIZES)], SIZES[(k + shift + 3) % len(SIZES)]


def test(element, names):
    with open("prog.pbcc", "w") as f:
        f.write(program(element, names))
    more = [] if ON_DEVICES else ["--no-devices", f"--schedule={HERE}/blas3_scripts.sched"]
    run(PBC, "prog.pbcc", "-o", "prog", "-O1", f"-I{HERE}", *more)
    of = choices()
    least = 1 if ON_DEVICES else 2  # where nothing is adapted, the library's script for devices makes the loops of gpu_buffers
    check(len(of) == len(names) and all(len(all) >= least for all in of.values()), f"choices: {of}")
    done = set()
    for k, n, m in runs(of):
        chosen = {t: names[(k + i) % len(names)] for i, (t, names) in enumerate(of.items())}
        with open("prog.cfg", "w") as f:
            f.write("".join(f'[{t}]\nplace_Cells = "{a}"\nsequential_cutoff = {1000 * (k % 2)}\n{SHAPE}' for t, a in chosen.items()))
        made = run("./prog", "--config=prog.cfg", "--threads=2", str(n), str(m), "-")
        check(not ON_DEVICES or "runs" not in made.stderr, f"left to another version, or to the processor: {made.stderr}")
        check(made.stdout.split()[-1] == "0", f"n = {n}, m = {m}: {chosen}\n{made.stdout}{made.stderr}")
        done |= set(chosen.items())
    check(len(done) == sum(map(len, of.values())), "some alternative did not run")
    return len(done)


os.environ["PB_DEVICES"] = os.environ.get("DEVICES", "fake") if ON_DEVICES else "none"
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    count = 0
    for element, sample in SAMPLE.items():
        names = list(variants())
        check(len(names) == 24 and set(sample) <= set(names), names)
        names = [name for name in names if not ON_DEVICES or not name.startswith("trsm")]
        for part in range(PARTS if ALL else 1):
            count += test(element, names[part::PARTS] if ALL else sample)
    os.chdir("/")
print(f"blas3_scripts: {count} alternatives agree")
