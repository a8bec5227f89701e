#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predictions for processors as a user asks for them, of kernels whose limit is known on any processor: emulate_processor.py PBC MACHINE

The machine is a file, and only the widths of vectors are those of the machine at hand."""
import json, os, subprocess, sys, tempfile

PBC, MACHINE = (os.path.abspath(p) for p in sys.argv[1:3])

PROGRAM = """transform Copy from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }
transform Sum from A[n] to S { S from(A a) { double s = 0; for (int i = 0; i < n; i++) s += a.cell(i); return s; } }
transform Quotient from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return 1 / (a + 2); } }
transform Square from A[n, n], B[n, n] to C[n, n] {
  C.cell(x, y) from(A.row(y) a, B.column(x) b) { double s = 0; for (int i = 0; i < n; i++) s += a.cell(i) * b.cell(i); return s; }
}
transform Turn from A[n, n] to B[n, n] { B.cell(x, y) from(A.cell(y, x) a) { return a; } }
transform Walk from X[n] to Y[n] { Y.cell(i) from(X.cell(i) x) { double v = x; while (v > 1) v /= 2; return v; } }
"""
# Two rules in one kernel, in which rows wait for each other.
LINES = """transform Lines
from A[n]
to B[n], C[n]
{
  rule first
  B.cell(i) from(A.cell(i) a, C.cell(i - 1) c) {
    return a + c;
  }
  rule second
  C.cell(i) from(B.cell(i) b) {
    double half = b / 2;
    return 1 / half;
  }
  secondary B.cell(i) from(A.cell(i) a) { return a; }
}
"""
FIRST, HALF, SECOND = 7, 11, 12  # their lines
failures = []


def check(what, holds, shown=""):
    if not holds:
        failures.append(what)
        print(f"{what}: {shown}")


def run(*words):
    return subprocess.run([PBC, *words], capture_output=True, text=True, timeout=120)


def predicted(kernel, n, *words):
    done = run("emulate", "p.pbcc", f"--machine={MACHINE}", f"--kernel={kernel}", f"--n={n}", "--json", *words)
    check(f"{kernel}: status", done.returncode == 0, done.stderr)
    return json.loads(done.stdout)["kernels"] if done.returncode == 0 else [{}]


def limit(k):
    b = k.get("bottleneck", {})
    return f"{b.get('resource')} {b.get('mode')}"


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    open("p.pbcc", "w").write(PROGRAM)
    rows = predicted("Square.rule0", 512, "--script=tasks(); scalar(x)", "--script=tasks(); vector(z)", "--script=tasks(); scalar(x)")
    check("a row for each script, in their order", [k.get("script") for k in rows] == [None, "tasks(); scalar(x)", "tasks(); vector(z)", "tasks(); scalar(x)"], rows)
    check("blocks in registers are faster than points one by one", rows[0]["seconds"] < rows[1]["seconds"] / 2, rows)
    check("the reason of one that does not apply", "seconds" not in rows[2] and "`z`" in rows[2].get("why", ""), rows[2])
    done = run("emulate", "p.pbcc", f"--machine={MACHINE}", "--script=tasks(")
    check("a script that cannot be read", done.returncode == 1 and "--script:1" in done.stderr, done.stderr)
    for kernel, n, expected in (
        ("Copy.rule0", 100_000_000, "memory throughput"),
        ("Copy.rule0", 4_000_000, "L3 throughput"),
        ("Sum.rule0", 4000, "additions latency"),
        ("Quotient.rule0", 1000, "divisions throughput"),
        ("Square.rule0", 480, "arithmetic throughput"),
    ):
        [k] = predicted(kernel, n)
        check(f"{kernel} at {n} is limited by {expected}", limit(k) == expected, json.dumps(k)[:600])
    near = sum(e["value"] for e in predicted("Square.rule0", 480)[0]["elasticities"])
    check("elasticities add up to about 1", 0.9 < near < 1.1, near)

    # The other order of the loops loads and stores the other matrix with a line for each cell.
    turns = predicted("Turn.rule0", 2000, "--schedules")
    check("there are several schedules", len(turns) > 4, [t["schedule"] for t in turns])
    copies = predicted("Copy.rule0", 2000, "--schedules")
    [k] = predicted("Copy.rule0", 2000, "--guide")
    best = min(t["seconds"] for t in copies)
    check("a proposal is no slower than any single change", k["try"]["seconds"] <= best * 1.001, (k["try"], best))
    check("a path begins with the default", k["try"]["path"][0] in (None, {}), k["try"]["path"])

    open("lines.pbcc", "w").write(LINES)
    done = run("emulate", "lines.pbcc", f"--machine={MACHINE}", "--kernel=Lines.first+second", "--n=1000", "--json")
    [k] = json.loads(done.stdout)["kernels"] if done.returncode == 0 else [{}]
    lines = {e["parameter"]: [r.get("line") for r in e.get("regions", [])] for e in k.get("elasticities", [])}
    check("two rules have their lines", lines.get("divisions latency") in ([HALF, SECOND], [SECOND, HALF], [SECOND]) and lines.get("additions latency") == [FIRST],
          (lines, done.stderr))
    rules = {r.get("rule"): r.get("line") for e in k.get("elasticities", []) for r in e.get("regions", []) if "line" in r}
    check("and their names", k.get("rules") == ["first", "second"] and rules.get("first") == FIRST and rules.get("second") in (HALF, SECOND), k)
    text = run("emulate", "lines.pbcc", f"--machine={MACHINE}", "--kernel=Lines.first+second", "--n=1000").stdout
    check("text names rules where there are several", f"; line {FIRST} in first 0." in text and f"line {SECOND} in second 0." in text, text)
    why = run("explain", "lines.pbcc", f"--machine={MACHINE}", "--n=1000", "--why")
    check("explain --why names lines", "        of divisions latency: line " in why.stdout and all(f"line {line} in second 0." in why.stdout for line in (HALF, SECOND)),
          why.stdout + why.stderr)
    text = run("emulate", "p.pbcc", f"--machine={MACHINE}", "--kernel=Sum.rule0", "--n=4000").stdout
    check("text", "limited by additions latency" in text and "predicted for one thread: " in text, text)
    traced = run("emulate", "p.pbcc", f"--machine={MACHINE}", "--kernel=Sum.rule0", "--n=4000", "--trace").stdout
    check("the trace of a thread", "additions" in traced and " times {\n" in traced, traced)
    why = run("explain", "p.pbcc", f"--machine={MACHINE}", "--n=400", "--why")
    check("explain --why", "predicted: " in why.stdout and "limited by arithmetic throughput" in why.stdout, why.stdout + why.stderr)
    check("explain says why nothing is predicted", "the body of Walk.rule0 was not lifted" in why.stdout or "no bound: " in why.stdout, why.stdout)
    plain = run("explain", "p.pbcc", "--why")
    check("--why needs sizes", plain.returncode == 1 and "need sizes" in plain.stderr, plain.stderr)
    unknown = run("emulate", "p.pbcc", f"--machine={MACHINE}", "--n=100", "--size=zebra=4")
    check("unknown sizes are refused", unknown.returncode == 1 and "no kernel has a size zebra" in unknown.stderr, unknown.stderr)
    lacks = run("emulate", "p.pbcc", f"--machine={MACHINE}")
    check("sizes are needed", lacks.returncode == 1 and "has no value for n" in lacks.stderr, lacks.stderr)
    for option in ("--hits=0.5", "--registers=32", "--source=ptx", "--group=32", "--points=100", "--device=sm_80"):
        name = option.split("=")[0]
        done = run("emulate", "p.pbcc", f"--machine={MACHINE}", "--n=100", option)
        check(f"{name} is refused", done.returncode == 1 and f"error: {name} is for GPUs, and " in done.stderr and "is a processor" in done.stderr, done.stderr)
    holes = open(MACHINE).read().split('[[resource]]\nname = "sqrt_f64"')
    rest = holes[1].split("[[resource]]", 1)[1]
    open("holes.toml", "w").write(holes[0] + "[[resource]]" + rest)
    hole = run("emulate", "p.pbcc", "--machine=holes.toml", "--n=100")
    check("a missing figure is named", hole.returncode == 1 and "no rate for sqrt_f64 of a unit" in hole.stderr, hole.stderr)

sys.exit(1 if failures else 0)
