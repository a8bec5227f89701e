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

    # The last outputs need no file. A run whose results are not written anywhere is a mistake.
    with open("three.pbcc", "w") as f:
        f.write("""
transform Three
from A[n]
to B[n], S, C[n]
{
  rule first B.cell(i) from(A.cell(i) a) { return a; }
  rule again B.cell(i) from(A.cell(i) a) { return a + 0; }
  S from(A a) { return n; }
  C.cell(i) from(A.cell(i) a) { return 2 * a; }
}
""")
    subprocess.run([PBC, "three.pbcc"], check=True)
    def three(*arguments, status=0, says=""):
        done = subprocess.run(["./three", *arguments], capture_output=True, text=True)
        assert done.returncode == status and says in done.stderr and bool(says) == bool(done.stderr), (arguments, done)
        return done.stdout
    assert three("a.txt", "-", says="three: no file is named for 'S' and 'C': not written") == "SIZE 2\n   2    3 \n\n"
    three("a.txt", "b.txt", "s.txt", says="three: no file is named for 'C': not written")
    assert open("b.txt").read() == "SIZE 2\n   2    3 \n\n" and open("s.txt").read() == "SIZE\n   2\n"
    three("--n=3", "r.txt", says="no file is named for 'S' and 'C'")
    three("--n=3", "r.txt", "s.txt", "c.txt")
    for left in ([], ["b.txt"], ["b.txt", "s.txt"], ["b.txt", "s.txt", "c.txt"]):
        lines = three("--check", "a.txt", *left).splitlines()
        assert "alternatives compute the same" in lines[-1], lines
    three("a.txt", status=1, says="expected 4 arguments (0 numbers, 1 input, 3 outputs), found 1")
    three(status=1, says="found 0")
    three("a.txt", "1", "2", "3", "4", status=1, says="found 5")
    assert "time:" in three("--time", "--trials=1", "a.txt")
    assert three("--force-output", "a.txt", "b.txt").count("SIZE") == 3

print("command line of a program: all as expected")
