#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests --bounds-check: the message about an access outside of its region names rule and line. bounds_check.py PBC"""
import os, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
PROGRAM = """#define FAR(r) r.cell(9)
%{
static double own(pb::Region<const double, 1> r) {
  return r.cell(9);
}
%}
transform Wrong
from A[w, h], V[n]
to B[n]
{
  rule chosen
  to(B b) from(A a, V v) {
    const int which = v.cell(0);
    const int far = v.cell(1);
    double s = 0;
    if (which == 1) s = v.cell(far);
    if (which == 2) s = a.cell(0,
                               far);
    if (which == 3) s = a.row(far).cell(0);
    if (which == 4) s = a.column(far).cell(0);
    if (which == 5) s = a.region(0, 0, 1, far).cell(0, 0);
    if (which == 6) s = a.slice(1, far).cell(0);
    if (which == 7) b.cell(far) = 1;
    if (which == 8) s = FAR(v);
    if (which == 9) s = own(v);
    for (int i = 0; i < n; ++i) b.cell(i) = s;
  }
}
transform Copies
from V[n]
to B[n]
{
  duplicate(k, 2, 3)
  B.cell(i) from(V v) {
    const int far = v.cell(i);
    return v.cell(far * k);
  }
}
"""

def run(*arguments, status=0):
    done = subprocess.run(arguments, capture_output=True, text=True)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stderr.strip()

# Rules that share a line, also with calls between them.
LINE = """transform Two from A[n] to B[n] { rule one B.cell(i) from(A.region(i, i + 3) a) { int k = 0; ElementT s = 0; while (k <= 3) s += a.cell(k++); return s; } secondary rule other B.cell(i) from() { return 0; } }
transform Inner from A[n] to B { rule deep to(B b) from(A a) { int k = n; auto get = [&] { return a.cell(k); }; b = n == 2 ? get() : 0; } } transform Outer from A[n] to B[n] { rule whole to(B b) from(A a) { int k = n; for (int i = 0; i < n; ++i) { spawn Inner(b.cell(i), a.region(0, 1)); } sync; Inner(b.cell(0), a.region(0, n == 4 ? 2 : 1)); b.cell(k) = 1; } secondary rule never B.cell(i) from() { return 0; } }
"""
# Accesses that certainly leave their regions: the messages are the same with and without the option.
OUTSIDE = ("transform S from A[w, h] to B[h] { B.cell(y) from(A.row(y) a) { ElementT s = 0; for (int i = 0; i <= w; ++i) s += a.cell(i); return s; } }",
           "transform S from A[w, h] to B[w, h] { to(B.row(y) b) from(A.row(y) a) { for (int i = w; i > 0; --i) b.cell(i) = a.cell(i); } }",
           "transform S from A[n] to B[n] { B.cell(i) from(A.region(i, i+3) a) { return a.cell(0) + a.cell(3); } secondary B.cell(i) from() { return 0; } }",
           "transform S from A[w, h] to B[w, h] { to(B b) from(A a) { for (int y = 0; y < h; ++y) for (int x = 0; x < w; ++x) b.cell(x, y) = a.row(y + 1).cell(x); } }",
           "%{\n#include <cmath>\n%}\ntransform S from A[n] to B { to(B b) from(A a) { b = std::sqrt(a.cell(n)); } }")

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for text in OUTSIDE:
        with open("outside.pbcc", "w") as f:
            f.write(text)
        message = run(PBC, "outside.pbcc", status=1)
        assert "error: this is outside of `a`" in message, message
        assert run(PBC, "--bounds-check", "outside.pbcc", status=1) == message
    with open("line.pbcc", "w") as f:
        f.write(LINE)
    run(PBC, "--bounds-check", "line.pbcc", "--main=Outer")
    def outside(transform, cells, *options):
        with open("x.txt", "w") as f:
            f.write(f"SIZE {cells}\n" + "1 " * cells)
        return run("./line", f"--transform={transform}", *options, "x.txt", "y.txt", status=1)
    assert outside("Two", 3).startswith("line: error: line.pbcc:1: rule `one` of `Two`: access outside"), outside("Two", 3)
    for options in ([], ["--threads=2"]):
        assert "line.pbcc:2: rule `whole` of `Outer`: " in outside("Outer", 3, *options), outside("Outer", 3, *options)
        assert "line.pbcc:2: rule `deep` of `Inner`: " in outside("Outer", 4, *options), outside("Outer", 4, *options)
    with open("forced.cfg", "w") as f:
        f.write("[Outer]\nsequential_cutoff = 0\n[Inner]\nsequential_cutoff = 0\n")
    for cells, rule in ((3, "`whole` of `Outer`"), (4, "`deep` of `Inner`")):
        assert f"line.pbcc:2: rule {rule}: " in outside("Outer", cells, "--config=forced.cfg", "--threads=2")
    with open("wrong.pbcc", "w") as f:
        f.write(PROGRAM)
    run(PBC, "--bounds-check", "--main=Wrong", "wrong.pbcc")
    with open("a.txt", "w") as f:
        f.write("SIZE 2 3\n1 2\n3 4\n5 6\n")
    places = {1: (16, 0, 3), 2: (17, 1, 3), 3: (19, 1, 3), 4: (20, 0, 2), 5: (21, 1, 3), 6: (22, 1, 3), 7: (23, 0, 3),
              8: (24, 0, 3)}
    for which, (line, dimension, extent) in places.items():
        with open("v.txt", "w") as f:
            f.write(f"SIZE 3\n{which} 9 0\n")
        message = run("./wrong", "a.txt", "v.txt", "b.txt", status=1)
        index = 8 if which == 5 else 9 # the last cell of the region
        assert message == (f"wrong: error: wrong.pbcc:{line}: rule `chosen` of `Wrong`: access outside a region: "
                           f"coordinate {dimension} (x is 0) is {index}, the extent is {extent}"), (which, message)
    with open("v.txt", "w") as f:
        f.write("SIZE 3\n9 9 0\n")
    message = run("./wrong", "a.txt", "v.txt", "b.txt", status=1)
    assert message.startswith("wrong: error: wrong.pbcc:4: access outside a region: "), message
    with open("v.txt", "w") as f:
        f.write("SIZE 3\n0 9 0\n")
    run("./wrong", "a.txt", "v.txt", "b.txt")
    with open("v.txt", "w") as f:
        f.write("SIZE 2\n1 2\n")
    assert "wrong.pbcc:36: rule `rule0` of `Copies`: " in run("./wrong", "--transform=Copies", "v.txt", "b.txt", status=1)
