#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stencils whose items take cells from their neighbours' registers, and keep rows from one turn to the next: neighbours.py PBC.

Matrices are larger than a group's points, so that whole warps are inside; the result is that of items with one point each, bit for bit.
"""
import os, re, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
RULES = {
    "Five": ("float", "to(B.cell(x, y) b) from(A.cell(x, y) c, A.cell(x - 1, y) l, A.cell(x + 1, y) r, A.cell(x, y - 1) u, A.cell(x, y + 1) d) "
             "{ b = c + 0.1f * (l + r + u + d - 4 * c); }"),
    "Nine": ("double", "to(B.cell(x, y) b) from(A.region(x - 1, y - 1, x + 2, y + 2) a) "
             "{ double s = 0; for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) s += (i + 2 * j + 1) * a.cell(i, j); b = s; }"),
    "Rows": ("float", "to(B.cell(x, y) b) from(A.region(x - 6, y, x + 7, y + 1) a) { float s = 0; for (int i = 0; i < 13; ++i) s += (i + 1) * a.cell(i, 0); b = s; }"),
    "Ahead": ("float", "to(B.cell(x, y) b) from(A.cell(x + 2, y) a, A.cell(x + 5, y + 1) c) { b = a - c; }"),
    "Columns": ("int", "to(B.cell(x, y) b) from(A.region(x, y - 3, x + 1, y + 4) a) { int s = 0; for (int i = 0; i < 7; ++i) s += (i + 1) * a.cell(0, i); b = s; }"),
    "Optional": ("float", "to(B.cell(x, y) b) from(A.cell(x, y) c, A.cell(x - 1, y) l = 1, A.cell(x + 1, y) r = 2, A.cell(x, y - 1) u = 3, A.cell(x, y + 1) d = 5) { b = c + 0.1f * (l + r + u + d); }"),
    "OneIsOptional": ("double", "to(B.cell(x, y) b) from(A.cell(x, y) c, A.cell(x - 1, y) l = 1, A.cell(x, y + 1) d) { b = c + 3 * l + d; }"),
    "Scaled": ("float", "to(B.cell(x, y) b) from(A.cell(x - 1, y) l, A.cell(x + 1, y) r, C.cell(x) c) { b = c * (l + r); }"),
}
# Sizes of groups, cells of an item; the first pair is the default's.
SHAPES = [((32, 8), None), ((32, 2), (4, 8)), ((8, 4), (4, 3))]
failed = []
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("p.pbcc", "w") as f:
        for name, (element, rule) in RULES.items():
            more = ", C[w] : float" if "C.cell" in rule else ""
            f.write(f"transform {name} from A[w, h] : {element}{more} to B[w, h] : {element} {{\n  rule Inside {rule}\n"
                    "  rule Border secondary B.cell(x, y) from() { return 0; }\n}\n")
    subprocess.run([PBC, "p.pbcc", "-o", "p"], check=True)
    environment = {**os.environ, "PB_DEVICES": "fake", "PB_FAKE_DEVICE": "units=1"}

    def result(name, place, group, cells, n):
        with open("p.toml", "w") as f:
            f.write(f'[{name}]\nsequential_cutoff = 0\nplace_Inside = "{place}"\ngroup_x_Inside = {group[0]}\ngroup_y_Inside = {group[1]}\n')
            if cells:
                f.write(f"cells_x_Inside = {cells[0]}\ncells_y_Inside = {cells[1]}\n")
        done = subprocess.run(["./p", "--config=p.toml", f"--transform={name}", f"--size=w={n}", f"--size=h={n // 3}", "--n=1", "--seed=3", "--hash"],
                              capture_output=True, text=True, env=environment, timeout=100)
        return done.stdout if done.returncode == 0 else done.stderr

    for name in RULES:
        for group, cells in SHAPES:
            for n in (404, 406):  # rows that begin at multiples of 16 bytes, and others
                expected, found = (result(name, place, group, cells, n) for place in ("gpu", "gpu_registers"))
                if expected != found or not re.match("hash: 0x", found):
                    failed.append(f"{name} in groups of {group} with cells {cells}, {n}: {expected} {found}")
print("\n".join(failed) or f"{len(RULES)} rules")
sys.exit(bool(failed))
