#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Items of the products of blas3.pbcc with symmetric and triangular matrices, and of its solves, access neighbours where groups have blocks of cells, with
loops like those of the plain product: test 15 of optimisation-scripts 10: coalescing.py PBC.

No GPU is needed, but NVRTC: without it the test is skipped.
"""
import json, subprocess, sys, tempfile
from pathlib import Path

PBC, NOTHING_TO_TEST = sys.argv[1], 77
SHARE, EACH_READ = 0.85, 8  # of multiply-adds among the instructions of the innermost loop; for each read of 16 bytes
MANY = 2  # times the sectors that the bytes need
PROGRAM = """#include <blas3.pbcc>
main transform P from A[n, n] : float, B[n, n] : float, D[n, n] : float to C[n, n] : float {
  to(C c) from(A a, B b, D d) { SgemmNN(c, a, b, d, 1, 1); SgemmTN(c, a, b, d, 1, 1); SsymmLL(c, a, b, d, 1, 1); SsymmLU(c, a, b, d, 1, 1); SsymmRL(c, a, b, d, 1, 1); SsymmRU(c, a, b, d, 1, 1);
    StrmmLLNN(c, a, b, 1); StrmmRUNN(c, a, b, 1); }
}
"""
# From the right, forward and backward, and from the left, backward.
SOLVES = """#include <blas3.pbcc>
main transform P from A[n, n] : float, B[n, n] : float to X[n, n] : float {
  to(X x) from(A a, B b) { StrsmRUNN(x, a, b, 1); StrsmRLNN(x, a, b, 1); StrsmLUNU(x, a, b, 1); }
}
"""
IN_ROWS = {f"{v}{part}" for v in ("blocks", "buffers") for part in ("", ", start of rows", ", finish of rows")}
# The script of the library for devices, which has an alternative for each structure of a matrix that is left apart from it.
BOTH_HALVES = "Symmetry(A).3"  # strips have both halves of the matrix
SCRIPT, ADAPTED = "gpu:gemm", [("SgemmTN", "Transpose"), ("SsymmL", "Symmetry(A).2"), ("SsymmR", "Symmetry(A).2"), ("SsymmL", BOTH_HALVES), ("SsymmR", BOTH_HALVES), ("StrmmL", "Triangular"), ("StrmmR", "Triangular")]
COPY = ", copy of "  # the kernel that makes one
# An item that computes one cell reads a column of the half that is stored, if the matrix stands on the right.
OF_ONE_CELL = "global"
# A column for each item: what the test must find.
STRIDED = """main transform P from A[h, w] : float to B[w, h] : float { B.cell(x, y) from(A.cell(y, x) a) { return a; } }
"""

# Their loops have the copies and the steps of several kinds of strips, of which a strip takes one: those on either side of the diagonal of a symmetric matrix
# and on it, or full ones and padded ones of a triangle. They have 0.8 of the plain product's share; all other versions of a routine have the share itself.
SEVERAL_STRIPS = (f"{SCRIPT}+{BOTH_HALVES}", f"{SCRIPT}+Triangular(A).3")

failed, shares = [], {}


def kernels(folder, program):
    file = Path(folder) / "p.pbcc"
    file.write_text(program)
    done = subprocess.run([PBC, "explain", "--json", "--device=sm_90", file], capture_output=True, text=True)
    if "need its compiler NVRTC" in done.stderr:
        print("this machine has no NVRTC")
        sys.exit(NOTHING_TO_TEST)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return [k for k in json.loads(done.stdout)["kernels"] if "left_out" not in k]


def far(k):
    """The matrices of which items do not access neighbours."""
    return {m: s for m, s in k["global_sectors"].items() if max(s.values()) >= MANY}


with tempfile.TemporaryDirectory() as folder:
    of_column = [k for k in kernels(folder, STRIDED) if k["version"] == "global"]
    if [set(far(k)) for k in of_column] != [{"A"}]:
        failed.append(f"a column for each item: {of_column}")
    all = kernels(folder, PROGRAM)
    plain = {k["version"]: k for k in all if k["transform"] == "SgemmNN"}
    for transform in {k["transform"] for k in all}:
        if missing := set(plain) - {k["version"] for k in all if k["transform"] == transform}:
            failed.append(f"{transform} has no {missing}, as the plain product has")
    for transform in {k["transform"] for k in all}:
        for begin, adaptor in ADAPTED:
            if transform.startswith(begin) and not any(k["transform"] == transform and k["version"].startswith(f"{SCRIPT}+{adaptor}") for k in all):
                failed.append(f"{transform} has no schedule for devices that {adaptor} has adapted")
    for k in all:
        if COPY in k["version"]:
            if far(k) or k["spills"]:
                failed.append(f"{k['name']}: {k}")
            continue
        if far(k) and k["version"] != OF_ONE_CELL:
            failed.append(f"{k['name']}: {far(k)}")
        # The plain product has no schedule of its own, because the library's gives it the loops of buffers.
        like, loop = plain.get(k["version"], plain["buffers"]), k["innermost_loop"]
        if k["multiply_add_share"] < 0.8 * like["multiply_add_share"] or set(k["global_stores"]) != set(like["global_stores"]) or k["spills"]:
            failed.append(f"{k['name']}: {k}, but the plain product has {like}")
        if k["version"] == OF_ONE_CELL:
            continue
        if loop["multiply_adds"] < EACH_READ * loop["group_reads"]:
            failed.append(f"{k['name']}: {loop}")
        if not k["version"].startswith(SEVERAL_STRIPS):
            shares[k["transform"], k["version"]] = k["multiply_add_share"]
    solves = kernels(folder, SOLVES)
    for transform in ("StrsmRUNN", "StrsmRLNN", "StrsmLUNU"):
        of_rows = [k for k in solves if k["transform"] == transform and k["version"] in IN_ROWS]
        if {k["version"] for k in of_rows} != IN_ROWS:
            failed.append(f"{transform} has {[k['version'] for k in of_rows]}")
        for k in of_rows:
            if far(k) or k["spills"]:
                failed.append(f"{k['name']}: {far(k)}, {k['spills']} bytes spilled")
            if k["version"] in ("blocks", "buffers") and k["multiply_add_share"] < SHARE:
                failed.append(f"{k['name']}: {k['multiply_add_share']} of the instructions of the innermost loop are multiply-adds")
    for (transform, version), share in shares.items():
        if share < SHARE:
            failed.append(f"{transform}, {version}: {share} of the instructions of the innermost loop are multiply-adds")
    if without := {k["transform"] for k in all} - {transform for transform, _ in shares}:
        failed.append(f"no version of {without} has a loop for one kind of strips")
print("\n".join(failed) or f"{len(all) + len(solves)} kernels")
sys.exit(bool(failed))
