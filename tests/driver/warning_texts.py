#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warnings of programs that compile: warning_texts.py PBC."""
import os, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])

def warnings(header, rules):
    """The first lines of pbc's messages about a transform."""
    with open("t.pbcc", "w") as f:
        f.write(f"transform T\n{header}\n{{\n{rules}\n}}\n")
    done = subprocess.run([PBC, "--emit=grid", "t.pbcc"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [line.split(": ", 2)[2] for line in done.stderr.splitlines() if ": warning: " in line]

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)

    # No rule computes all cells at some sizes, because the declared extents of the matrix differ from those of the rules.
    swapped = ["no rule computes all cells of `C` where w < h or w > h"]
    assert warnings("from A[w, h] to C[h, w]", "C.cell(x, y) from(A.cell(x, y) a) { return a; }") == swapped
    assert warnings("from A[w, h] to C[h, w]", "to(C.row(y) c) from(A.row(y) a) { for (int i = 0; i < h; ++i) c.cell(i) = 0; }") \
        == ["no rule computes all cells of `C` where w > h"]
    assert warnings("from A[w, h] to C[h, w]", "to(C.cell(x, y) c) from(A.row(y) a, A.column(x) b) { c = 0; }") == swapped
    assert warnings("from A[n], D[m] to B[n]", "B.cell(i) from(A.cell(i) a, D.cell(i) d) { return a + d; }") \
        == ["no rule computes all cells of `B` where n > m"]
    assert warnings("from A[n], D[m] to B[n + m]",
                    "B.cell(i) from(A.cell(i) a) { return a; } B.cell(i + m) from(D.cell(i) a) { return a; }") \
        == ["no rule computes all cells of `B` where n < m or n > m"]
    # There is no warning if the sizes fit, or if it depends only on the remainder of a division.
    assert warnings("from A[w, h] to C[h, w]", "C.cell(y, x) from(A.cell(x, y) a) { return a; }") == []
    assert warnings("from A[n] to B[n]", "to(B.region(2*i, 2*i + 2) b) from(A a) { b.cell(0) = b.cell(1) = 0; }") == []
    assert warnings("from A[n], D[m] to B[n + m]",
                    "B.cell(i) from(A.cell(i) a) { return a; } B.cell(i + n) from(D.cell(i) a) { return a; }") == []
    assert warnings("from A[n] to B[n]", "B.cell(i) from(A.cell(n/2 + i/2) a) { return a; }") == []
    assert warnings("from A[n, n] to B[n]", "B.cell(i) from(A.cell(i, i) a) { return a; }") == []
