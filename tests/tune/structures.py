#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules composed with adaptors as choices by size: structures.py PBC

Sums down the columns of a matrix, in several partial sums: several times as fast as one sum. From a copy that is turned they are vectors, and
only the adaptor of the structure makes that copy; which of these schedules is the fastest depends on the processor.
"""
import json, os, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])

PROGRAM = """transform Sums from A[h, k], B[k] to C[h, k] {
  structure A is transposed;
  fast rule Cells C.cell(y, z) from(A.column(y) a, B.cell(z) b) {
    ElementT sum = 0;
    for (int i = 0; i < k; ++i)
      sum += a.cell(i) * b;
    return sum;
  }
  schedule sums for Cells { order(y, z); partial_sums(i; 8); }
}
"""
COMPOSED = "cpu:sums+Transpose(A).2"


def check(condition, what):
    if not condition:
        print(what)
        sys.exit(1)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    check(done.returncode == 0, f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


with tempfile.TemporaryDirectory() as folder:
    os.environ["PB_DEVICES"] = "none"
    os.chdir(folder)
    with open("prog.pbcc", "w") as file:
        file.write(PROGRAM)
    with open("kernels.cfg", "w") as file:
        file.write('[kernels]\nSums.Cells.script = "order(y, z)"\n')
    run(PBC, "prog.pbcc", "--config=kernels.cfg")
    info = json.loads(run("./prog", "--info"))
    (site,) = [s for t in info["transforms"] for s in t["sites"] if s["key"] == "place_Cells"]
    names = [a["name"] for a in site["alternatives"]]
    check(names[:2] == ["cpu", "cpu:sums"] and COMPOSED in names, names)
    said = run(PBC, "tune", "./prog", "--n=300", "--budget=10", "--json")
    with open("prog.cfg") as file:
        place = next((line for line in file if line.startswith("place_Cells")), "")
    uses = [part.split('"')[0] for part in place.split('use = "')[1:]] or [place.split('"')[1] if '"' in place else ""]
    chosen = uses[-1]
    check(chosen.startswith("cpu:sums") and chosen in names, f"no schedule with partial sums is chosen at n=300: {place}{said}")
    check(chosen in run(PBC, "config", "explain", "prog.cfg", "--for=./prog", "--json"), "the configuration")
    check(COMPOSED in run(PBC, "explain", "./prog", "place_Cells"), "explain")
    with open("prog.tune.html") as file:
        check(chosen in file.read(), "the page")
    with open("composed.cfg", "w") as file:
        file.write(f'[Sums]\nplace_Cells = "{COMPOSED}"\n')
    check(COMPOSED in run(PBC, "config", "explain", "composed.cfg", "--for=./prog", "--json"), "a composed one")
    check("compute the same" in run("./prog", "--check", "--n=33"), "--check")
    os.chdir("/")
print(f"structures: as expected: {place.strip()}")
