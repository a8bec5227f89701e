#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules composed with adaptors as choices by size: structures.py PBC

Sums down the columns of a matrix, in several partial sums: from a copy that is turned they are vectors, which is several times as fast, and
only the adaptor of the structure makes that copy.
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
    check(uses[-1] == COMPOSED, f"the fastest schedule at n=300 is not chosen: {place}{said}")
    check(COMPOSED in run(PBC, "config", "explain", "prog.cfg", "--for=./prog", "--json"), "the configuration")
    check(COMPOSED in run(PBC, "explain", "./prog", "place_Cells"), "explain")
    with open("prog.tune.html") as file:
        check(COMPOSED in file.read(), "the page")
    check("compute the same" in run("./prog", "--check", "--n=33"), "--check")
    os.chdir("/")
print(f"structures: as expected: {place.strip()}")
