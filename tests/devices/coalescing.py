#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Items of the symmetric products of blas3.pbcc access neighbours, with loops like those of the plain product: test 15 of
optimisation-scripts 10: coalescing.py PBC.

No GPU is needed, but NVRTC: without it the test is skipped.
"""
import json, subprocess, sys, tempfile
from pathlib import Path

PBC, NOTHING_TO_TEST = sys.argv[1], 77
MANY = 2  # times the sectors that the bytes need
PROGRAM = """#include <blas3.pbcc>
main transform P from A[n, n] : float, B[n, n] : float, D[n, n] : float to C[n, n] : float {
  to(C c) from(A a, B b, D d) { SgemmNN(c, a, b, d, 1, 1); SsymmLL(c, a, b, d, 1, 1); SsymmLU(c, a, b, d, 1, 1); SsymmRL(c, a, b, d, 1, 1); SsymmRU(c, a, b, d, 1, 1); }
}
"""
# With the symmetric matrix on the right, each item reads a column of the half that is stored: adaptors, which would copy both halves, make
# schedules for the processor only.
KNOWN = {"SsymmRL.Cells, global", "SsymmRU.Cells, global"}
# A column for each item: what the test must find.
STRIDED = """main transform P from A[h, w] : float to B[w, h] : float { B.cell(x, y) from(A.cell(y, x) a) { return a; } }
"""

failed = []


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
    for k in all:
        if set(far(k)) != ({"A"} if k["name"] in KNOWN else set()):
            failed.append(f"{k['name']}: {far(k)}")
        if k["transform"] == "SgemmNN":
            continue
        like = plain[k["version"]]
        if k["multiply_add_share"] < 0.8 * like["multiply_add_share"] or set(k["global_stores"]) != set(like["global_stores"]) or k["spills"]:
            failed.append(f"{k['name']}: {k}, but the plain product has {like}")
print("\n".join(failed) or f"{len(all)} kernels")
sys.exit(bool(failed))
