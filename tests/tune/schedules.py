#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules as choices by size: schedules.py PBC

The kernel of the rule is compiled without vectors, and a schedule has blocks in registers: many times as fast, but not for
the smallest products.
"""
import json, os, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])

PROGRAM = """transform Product from A[k, h], B[w, k] to C[w, h] {
  rule Cells C.cell(x, y) from(A.row(y) a, B.column(x) b) {
    ElementT sum = 0;
    for (int i = 0; i < k; ++i)
      sum += a.cell(i) * b.cell(i);
    return sum;
  }
  schedule blocks for Cells { tasks(); registers(y, x); }
  schedule worse for Cells { order(x, y); scalar(y); }
}
"""


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
        file.write('[kernels]\nProduct.Cells.vector = "off"\n')
    run(PBC, "prog.pbcc", "--config=kernels.cfg")
    said = run(PBC, "tune", "./prog", "--n=200", "--budget=12", "--json")
    levels = run(PBC, "config", "explain", "prog.cfg", "--for=./prog", "--json")
    with open("prog.cfg") as file:
        place = next(line for line in file if line.startswith("place_Cells"))
    uses = [part.split('"')[0] for part in place.split('use = "')[1:]]
    check(uses[-1] == "cpu:blocks", f"the fastest schedule at n=200 is not chosen: {place}{said}")
    check("cpu:blocks" in levels, levels)
    explained = json.loads(run(PBC, "explain", "./prog", "place_Cells", "--json"))
    # Which of the two slow ones comes second depends on the machine.
    check(any(f'"{name}"' in json.dumps(explained) for name in ("cpu:worse", "cpu")), explained)
    check("cpu:blocks" in run(PBC, "explain", "./prog", "place_Cells"), "explain")
    with open("prog.tune.html") as file:
        check("cpu:blocks" in file.read(), "the page")
    same = {run("./prog", "--n=33", "--hash", *words) for words in ([], ["--noconfig"])}
    check(len(same) == 1, same)
    os.chdir("/")
print(f"schedules: as expected: {place.strip()}")
