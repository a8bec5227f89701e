#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc compose, as a user gives it: compose.py PBC."""
import json
import os
import subprocess
import sys
import tempfile

PBC = os.path.abspath(sys.argv[1])
PROGRAM = """transform Product from A[k, m] : float, B[n, k] : float to C[n, m] : float {
  fast rule Cells C.cell(x, y) from(A.row(y) a, B.column(x) b) { float s = 0; for (int i = 0; i < k; ++i) s += a.cell(i) * b.cell(i); return s; }
}
"""
failures = []


def run(*words, given=""):
    return subprocess.run([PBC, *words], input=given, capture_output=True, text=True, timeout=120)


def says(what, message, *words, given=""):
    done = run("compose", *words, given=given)
    if done.returncode != 1 or message not in done.stderr or done.stdout:
        failures.append(f"{what}: status {done.returncode}\n{done.stdout}{done.stderr}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name, text in (("p.pbcc", PROGRAM), ("gemm.sched", "tasks(); registers(y, x);"), ("steps.sched", "in_place(s); fission(y, x); (yt, xt, yi, xi) = tile(y2, x2; 8, 8);"),
                       ("own.adl", "adaptor Wide(X, n): | layout(X, pad = n);"), ("wrong.pbcc", "transform Copy from A[n] to B[n] { C.cell(i) from(A.cell(i) a) { return a; } }\n"), ("wrong.adl", "adaptor Wide(X) layout(X);"), ("none.sched", "tile_all(x);")):
        with open(name, "w") as f:
            f.write(text)
    kernels = run("--emit=lifted", "p.pbcc").stdout
    done = run("compose", "-", "--script=gemm.sched", "--adaptor=Transpose(A)", "--json", given=kernels)
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    # The copy of all of A comes first, in each task, and blocks in registers read it; a copy of tiles has no tiles here.
    if found.get("kernels") != 2 or [s["same_as"] for s in found["sequences"]] != [None, None, 1]:
        failures.append(f"transposed: {done.stdout}{done.stderr}")
    elif found["sequences"][1]["kept"] != ["tasks()", "GM_map(A, Transpose)", "registers(y, x)"] or found["sequences"][1]["omitted"]:
        failures.append(f"transposed: {found['sequences'][1]}")
    table = run("compose", "-", "--script=steps.sched", "--adaptors=own.adl", "--adaptor=Wide(B, 4)", given=kernels)
    if "Product.Cells: steps + Wide(B, 4): 2 sequences make 2 kernels\n" not in table.stdout:
        failures.append(f"table: {table.stdout}{table.stderr}")
    printed = run("compose", "-", "--script=gemm.sched", "--adaptor=Transpose(A)", "--print=2", given=kernels)
    again = run("opt", "-", given=printed.stdout)
    if printed.returncode or printed.stdout != again.stdout or "A_map" not in printed.stdout:
        failures.append(f"printed: {printed.stdout}{printed.stderr}{again.stderr}")
    direct = run("compose", "p.pbcc", "Cells", "--script=steps.sched", "--adaptors=own.adl", "--adaptor=Wide(B, 4)")
    if direct.returncode or direct.stdout != table.stdout:
        failures.append(f"of a program: {direct.stdout}{direct.stderr}")
    whole = run("compose", "p.pbcc", "Product.Cells", "--script=steps.sched", "--adaptors=own.adl", "--adaptor=Wide(B, 4)")
    if whole.stdout != table.stdout:
        failures.append(f"of a transform's rule: {whole.stdout}{whole.stderr}")
    says("no rule", "there is no kernel Rows here\nhelp: the kernels are Product.Cells", "p.pbcc", "Rows", "--script=gemm.sched")
    says("a wrong program", "wrong.pbcc:1:", "wrong.pbcc", "--script=gemm.sched")
    says("no program", "cannot read missing.pbcc", "missing.pbcc", "--script=gemm.sched")
    says("no adaptor", "no adaptor is called `Transposed`\n", "-", "--script=gemm.sched", "--adaptor=Transposed(A)", given=kernels)
    says("did you mean", "did you mean `Transpose`?", "-", "--script=gemm.sched", "--adaptor=Transposed(A)", given=kernels)
    says("no matrix", "Product.Cells has no matrix `D`", "-", "--script=gemm.sched", "--adaptor=Transpose(D)", given=kernels)
    says("arguments", "`Transpose` takes 1 argument: X", "-", "--script=gemm.sched", "--adaptor=Transpose(A, 2)", given=kernels)
    says("no step", "no transformation is called `tile_all`", "-", "--script=none.sched", "--adaptor=Transpose(A)", given=kernels)
    says("syntax", "wrong.adl:1:17: error: ", "-", "--script=gemm.sched", "--adaptors=wrong.adl", given=kernels)
    says("no kernel", "there is no kernel Sum here\nhelp: the kernels are Product.Cells", "-", "--script=gemm.sched", "--kernel=Sum", given=kernels)
    says("no sequence", "there is no sequence 9: they go from 1 to 3", "-", "--script=gemm.sched", "--adaptor=Transpose(A)", "--print=9", given=kernels)
    says("no file", "cannot read missing.sched", "-", "--script=missing.sched", given=kernels)
print("\n".join(failures) or "all as expected")
sys.exit(bool(failures))
