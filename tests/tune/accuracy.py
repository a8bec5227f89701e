#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning to an accuracy target, where alternatives differ in what they can reach: accuracy.py PBC."""
import json, os, signal, subprocess, sys, tempfile

from calls import check, run

PBC = os.path.abspath(sys.argv[1])
# Rough never meets the target, and Newton's first round is no more exact than it.
PROGRAM = """
main transform Root
from A[n]
to X[n]
accuracy_metric Digits
accuracy_bins 11
{
  rule Rough
  X.cell(i) from(A.cell(i) a) { return 1.5 * a; }
  rule Newton
  to(X x) from(A a) {
    for (int i = 0; i < n; ++i) x.cell(i) = a.cell(i);
    for_enough(1; 40)
      for (int i = 0; i < n; ++i) x.cell(i) = (x.cell(i) + 2 * a.cell(i) * a.cell(i) / x.cell(i)) / 2;
  }
}

transform Digits
from X[n], A[n]
to Q
{
  to(Q q) from(X x, A a) {
    q = 16;
    for (int i = 0; i < n; ++i) {
      double wrong = fabs(x.cell(i) / (a.cell(i) * sqrt(2.0)) - 1);
      if (wrong > 1e-16) q = fmin(q, -log10(wrong));
    }
  }
}
"""

def meets():
    """Also below what was tuned, and below what the configuration itself singles out."""
    done = run(PBC, "tune", "./root", "--n=100", "--budget=60", "--trials=30", "--json")
    check(done.returncode == 0, done.stderr)
    result = json.loads(done.stdout)
    check(result["accuracy"]["met"] and result["accuracy"]["missed_at"] == [], done.stdout)
    for n in (1, 2, 5, 9, 16, 37, 99, 100):
        said = run("./root", f"--n={n}", "--accuracy").stdout
        check("(target 11 or more: met)" in said, f"n={n}: {said}{open('root.cfg').read()}")
    text = run(PBC, "tune", "./root", "--n=100", "--budget=60", "--trials=10").stdout
    check(" for n " not in text, text)  # one value for all sizes is said so

def says_what_was_not_verified():
    tuning = subprocess.Popen([PBC, "tune", "./root", "--n=1000", "--budget=200", "--fresh", "--json"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in tuning.stderr:  # however long that takes here
        if line.startswith("n=1000: best"):
            break
    tuning.send_signal(signal.SIGINT)
    out, err = tuning.communicate(timeout=60)
    check(tuning.returncode == 0, err)
    accuracy = json.loads(out)["accuracy"]
    check(accuracy == {"transform": "Root", "target": 11, "verified": None}, out)
    check("not verified on other inputs, it was stopped before" in open("root.cfg").read(), open("root.cfg").read())

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("root.pbcc", "w") as f:
        f.write(PROGRAM)
    done = run(PBC, "root.pbcc", "-o", "root")
    check(done.returncode == 0, done.stderr)
    meets()
    says_what_was_not_verified()
print("ok")
