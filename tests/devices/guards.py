#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A condition on a matrix that a device has computed is checked on what the device has computed: guards.py PBC.

The loops of a sum show which version has run: one sum of 1e16, 1, -1e16, 1 is 1, and two of which each adds every second one are 2."""
import os, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
PROGRAM = """%{
static bool isSmall(const pb::Region<const double, 2> &m, double most) {
  for (int y = 0; y < m.height(); ++y)
    for (int x = 0; x < m.width(); ++x)
      if (m.cell(x, y) > most)
        return false;
  return true;
}
%}
transform Sums from A[k, h], B[w, k] to C[w, h] {
  structure A is transposed;
  rule Cells fast C.cell(x, y) from(A.row(y) a, B.column(x) b) {
    double s = 0;
    for (int i = 0; i < k; ++i)
      s += a.cell(i) * b.cell(i);
    return s;
  }
  schedule plain for Cells { tasks(y); scalar(x); }
}
main transform Scaled from A[k, h], B[w, k], factor to C[w, h] through D[k, h] {
  rule Scale D.cell(x, y) from(A.cell(x, y) a, factor f) { return f * a; }
  rule Call to(C c) from(D d, B b) { Sums(c, d, b); }
}
"""
CONFIG = """[Scaled]
sequential_cutoff = 0
place_Scale = "gpu"
[Sums]
sequential_cutoff = 0
place_Cells = "cpu:plain+Transpose(A).2"
"""


def check(holds, what):
    if not holds:
        sys.exit(f"guards: {what}")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=200)
    check(done.returncode == 0, f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


with tempfile.TemporaryDirectory() as folder:
    os.environ.update(PB_DEVICES="fake", PB_DEVICE_COUNTERS="yes", XDG_CACHE_HOME=os.path.join(folder, "cache"))
    os.chdir(folder)
    for name, text in (("p.pbcc", PROGRAM), ("own.adl", "adaptor Transpose(X): | split_sum(X, 2); {cond(isSmall(X, 1e20))}\n"), ("p.cfg", CONFIG),
                       ("a", "SIZE 5 1\n1 1e-16 -1 1e-16 0\n"), ("b", "SIZE 1 5\n1 1 1 1 1\n")):
        with open(name, "w") as f:
            f.write(text)
    run(PBC, "p.pbcc", "-o", "p", "--adaptors=own.adl")
    # The numbers of A hold the condition; those that the device makes of them may not.
    for factor, wanted in (("1e16", 2), ("1e25", 1e9)):
        done = run("./p", "--config=p.cfg", "a", "b", factor, "-")
        check(": 1 launches," in done.stderr, f"not one launch: {done.stderr}")
        check(abs(float(done.stdout.split()[-1]) / wanted - 1) < 1e-6, f"{factor}: {done.stdout}, not {wanted}")
    os.chdir("/")
print("guards: as expected")
