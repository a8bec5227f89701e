#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Versions that run only where a condition on a matrix holds, in programs: guards.py PBC. Test 8 of optimisation-scripts 10: where the
condition does not hold, the program chooses the rule's own loops when it runs."""
import json
import os
import subprocess
import sys
import tempfile

PBC = os.path.abspath(sys.argv[1])

# One sum of these numbers is 1, and two of which each adds every second one are 2: the result tells which loops have run.
NUMBERS = "SIZE 5 1\n1e16 1 -1e16 1 0\n"
ONES = "SIZE 1 5\n1 1 1 1 1\n"
PROGRAM = """%{
static bool isSmall(const pb::Region<const double, 2> &m, double most) {
  fprintf(stderr, "asked\\n");
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
main transform Twice from A[k, h], B[w, k] to C[w, h], D[w, h] {
  to(C c, D d) from(A a, B b) { Sums(c, a, b); Sums(d, a, b); }
}
transform Mirrored from A[n, n], B[w, n] to C[w, n] {
  structure A is symmetric lower, unchecked;
  rule Cells fast C.cell(x, y) from(A.row(y) a, B.column(x) b) {
    double s = 0;
    for (int i = 0; i < n; ++i)
      s += a.cell(i) * b.cell(i);
    return s;
  }
  schedule plain for Cells { tasks(y); scalar(x); }
}
transform Triangle from A[n, n], B[w, n] to C[w, n] {
  structure A is lower_triangular, unchecked;
  rule Cells fast C.cell(x, y) from(A.row(y) a, B.column(x) b) {
    double s = 0;
    for (int i = 0; i < n; ++i)
      s += a.cell(i) * b.cell(i);
    return s;
  }
  schedule tiled for Cells { (yt, xt, yi, xi) = tile(y, x; 2, 8); lanes(xi; 8); }
}
"""
ADAPTORS = """adaptor Transpose(X): | split_sum(X, 2); {cond(isSmall(X, 1e20))}
adaptor Symmetry(X): | GM_map(X, Symmetry); {cond(blank(X).zero = true)}
"""
SUMS = "cpu:plain+Transpose(A).2"


def check(holds, what):
    if not holds:
        sys.exit(f"guards: {what}")


def write(name, text):
    with open(name, "w") as f:
        f.write(text)


def run(*words, status=0):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    check(done.returncode == status, f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def numbers(text):
    return [float(word) for line in text.splitlines() if not line.startswith("SIZE") for word in line.split()]


def result(transform, alternative, *files, options=()):
    write("prog.cfg", f'[{transform}]\nplace_Cells = "{alternative}"\nsequential_cutoff = {0 if "tasks" in options else 1000}\n')
    done = run("./prog", "--config=prog.cfg", f"--transform={transform}", *files, "-")
    return numbers(done.stdout), done.stderr.split().count("asked")


def predicates():
    """An expression over the matrix: asked once a call, and only by the version that it guards."""
    write("a", NUMBERS)
    write("large", NUMBERS.replace("1e16", "1e25"))
    write("b", ONES)
    for options in ((), ("tasks",)):
        check(result("Sums", "cpu:plain", "a", "b", options=options) == ([1], 0), "a version without a guard asks")
        check(result("Sums", SUMS, "a", "b", options=options) == ([2], 1), "the guard holds")
        check(result("Sums", SUMS, "large", "b", options=options) == ([1], 1), "the guard does not hold")
    write("prog.cfg", f'[Sums]\nplace_Cells = "{SUMS}"\n')
    check(run("./prog", "--config=prog.cfg", "a", "b", "c", "d").stderr.split().count("asked") == 2, "each of two calls asks once")


def blanks():
    """Of a symmetric matrix, the half that is not stored is its blank; NaN is not 0."""
    stored = [[2, 0, 0], [3, 4, 0], [5, 6, 7]]
    whole = [[stored[max(x, y)][min(x, y)] for x in range(3)] for y in range(3)]
    b = [[1, 2], [3, 4], [5, 6]]
    wanted = [sum(whole[y][k] * b[k][x] for k in range(3)) for y in range(3) for x in range(2)]
    write("b", "SIZE 2 3\n" + "\n".join(" ".join(map(str, row)) for row in b))
    choices = [a["name"] for s in info("Mirrored")["sites"] if s["name"] == "place_Cells" for a in s["alternatives"]]
    guarded = [c for c in choices if "Symmetry(A).2" in c]
    check(guarded, f"no guarded version: {choices}")
    for blank in ("0", "9", "nan"):
        rows = "\n".join(" ".join(blank if x > y else str(v) for x, v in enumerate(row)) for y, row in enumerate(stored))
        write("a", "SIZE 3 3\n" + rows)
        for alternative in choices:
            check(result("Mirrored", alternative, "a", "b")[0] == wanted, f"{alternative} with {blank} in the blank half")


def masks():
    """What is not stored of a triangle takes no part, whatever the memory holds, and neither does what it would be multiplied by: NaN in B."""
    n, w = 7, 5
    a = [[x + 2 * y + 1 if x <= y else "nan" for x in range(n)] for y in range(n)]
    b = [[float(x - y) for x in range(w)] for y in range(n)]
    b[n - 1][2] = "nan"  # only the last row of A has a cell for it
    write("a", f"SIZE {n} {n}\n" + "\n".join(" ".join(map(str, row)) for row in a))
    write("b", f"SIZE {w} {n}\n" + "\n".join(" ".join(map(str, row)) for row in b))
    wanted = [sum(a[y][k] * float(b[k][x]) for k in range(y + 1)) for y in range(n) for x in range(w)]
    choices = [c["name"] for s in info("Triangle")["sites"] if s["name"] == "place_Cells" for c in s["alternatives"]]
    check(any("Triangular(A).3" in c for c in choices), f"nothing is padded: {choices}")
    for alternative in choices:
        found = result("Triangle", alternative, "a", "b")[0]
        check(len(found) == len(wanted) and all(f == v or (f != f and v != v) for f, v in zip(found, wanted)),
              f"{alternative}: {found}, not {wanted}")


def info(transform):
    return next(t for t in json.loads(run("./prog", "--info").stdout)["transforms"] if t["name"] == transform)


def words():
    """What is said of guards."""
    docs = [a["doc"] for s in info("Sums")["sites"] if s["name"] == "place_Cells" for a in s["alternatives"] if a["name"] == SUMS]
    check(docs == ["on the processor, by the schedule `plain + Transpose(A) rule 2`, guarded by isSmall(A, 1e20), checked once a call"], docs)
    said = run(PBC, "explain", "prog.pbcc", "--no-devices", "--adaptors=own.adl").stdout
    check("guarded by isSmall(A, 1e20), checked once a call\n" in said and "guarded by blank(A).zero, checked once a call\n" in said, said)
    asked = json.loads(run(PBC, "explain", "--json", "prog.pbcc", "--no-devices", "--adaptors=own.adl").stdout)
    schedules = asked["transforms"][0]["alternatives"][0]["steps"][0]["schedules"]
    check([s.get("guard") for s in schedules][:2] == [None, "guarded by isSmall(A, 1e20), checked once a call"], schedules)
    write("lifted.kernel", run(PBC, "--emit=lifted", "prog.pbcc", "--no-devices").stdout)
    write("plain.sched", "tasks(y); scalar(x);\n")
    said = run(PBC, "compose", "lifted.kernel", "--kernel=Sums.Cells", "--script=plain.sched", "--adaptors=own.adl", "--adaptor=Transpose(A)").stdout
    check("guarded by isSmall(A, 1e20), checked once a call\n" in said, said)


with tempfile.TemporaryDirectory() as folder:
    os.environ["PB_DEVICES"] = "none"
    os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
    os.chdir(folder)
    write("prog.pbcc", PROGRAM)
    write("own.adl", ADAPTORS)
    run(PBC, "prog.pbcc", "-o", "prog", "--no-devices", "--adaptors=own.adl")
    predicates()
    blanks()
    masks()
    words()
    for transform in ("Sums", "Mirrored", "Triangle"):
        check("compute the same" in run("./prog", "--check", "--n=33", f"--transform={transform}").stdout, f"--check of {transform}")
    os.chdir("/")
print("guards: as expected")
