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

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
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
