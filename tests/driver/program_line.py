#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of a compiled program: program_line.py PBC. What needs a program of variable accuracy."""
import os, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
PROGRAM = """
main transform Root
from A[n]
to X[n]
accuracy_metric Digits
accuracy_bins 2, 3, 16
{
  rule thrice to(X x) from(A a) { Steps(x, a, 3); }
  rule once   to(X x) from(A a) { Steps(x, a, 1); }
  rule five   to(X x) from(A a) { Steps(x, a, 5); }
}

transform Steps
from A[n], K
to X[n]
{
  X.cell(i) from(A.cell(i) a, K k) {
    ElementT x = a;
    for (int s = 0; s < k; ++s) x = (x + a / x) / 2;
    return x;
  }
}

transform Digits
from X[n], A[n]
to Q
{
  to(Q q) from(X x, A a) {
    q = 16;
    for (int i = 0; i < n; ++i) q = fmin(q, -log10(fabs(x.cell(i) * x.cell(i) / a.cell(i) - 1) + 1e-16));
  }
}
"""

def run(*arguments, status=0):
    done = subprocess.run(["./root", *arguments], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("root.pbcc", "w") as f:
        f.write(PROGRAM)
    with open("a.txt", "w") as f:
        f.write("SIZE 2\n2 3\n")
    subprocess.run([PBC, "root.pbcc"], check=True)

    # Results that differ agree where they meet the target, or are as exact as a default that misses it.
    lines = run("--check", "--transform=Root<1>", "a.txt", status=1).splitlines()
    own = [line for line in lines if line.startswith("Root<1>: ")]
    assert own == ["Root<1>: thrice agrees (max difference 0)",
                   "Root<1>: once disagrees: accuracy 0.477121 (target 3 or more: missed)",
                   "Root<1>: five agrees: accuracy 15.4921 (target 3 or more: met)"], lines
    assert lines[-1] == "1 of 9 alternatives do not compute the same", lines

    lines = run("--check", "--transform=Root<2>", "a.txt", status=1).splitlines()
    own = [line for line in lines if line.startswith("Root<2>: ")]
    assert own == ["Root<2>: thrice agrees (max difference 0)",
                   "Root<2>: once disagrees: accuracy 0.477121 (target 16 or more: missed)",
                   "Root<2>: five agrees: accuracy 15.4921 (target 16 or more: missed), as the default"], lines

print("command line of a program: all as expected")
