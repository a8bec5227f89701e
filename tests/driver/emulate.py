#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc emulate as a user calls it: what limits kernels whose limit is known, and what is said of wrong questions: emulate.py PBC"""
import json, os, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
MACHINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../compiler/model/machines")

PROGRAM = """transform Copy from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }
transform Roots from A[n] : float to B[n] : float {
  B.cell(i) from(A.cell(i) a) {
    float s = a;
    for (int k = 0; k < 40; k++) s = sqrtf(s + 1.0f);
    return s;
  }
}
transform Polynomial from A[n] to B[n] {
  B.cell(i) from(A.cell(i) a) {
    double s = a;
    for (int k = 0; k < 400; k++) s = s * a + 1.0;
    return s;
  }
}
transform Product from A[k, h] : float, B[w, k] : float to C[w, h] : float {
  C.cell(x, y) from(A.row(y) a, B.column(x) b) { float s = 0; for (int i = 0; i < k; i++) s += a.cell(i) * b.cell(i); return s; }
}
transform Column from A[n, n] to B[n, n] { B.cell(x, y) from(A.cell(y, x) a) { return a; } }
transform Invariant from A[n], W[1] to B[n] {
  B.cell(i) from(A.cell(i) a, W.all() w) {
    double s = a;
    for (int k = 0; k < n; k++) s = s * 0.5 + w.cell(0);
    return s;
  }
}
transform Stencil from A[n, n, n] to B[n, n, n] {
  B.cell(x, y, z) from(A.cell(x, y, z) c, A.cell(x-1, y, z) l, A.cell(x+1, y, z) r, A.cell(x, y-1, z) u, A.cell(x, y+1, z) d, A.cell(x, y, z-1) b, A.cell(x, y, z+1) f) {
    return c + 0.1 * (l + r + u + d + b + f);
  }
  secondary B.cell(x, y, z) from(A.cell(x, y, z) c) { return c; }
}
"""
LINES = """transform Lines
from A[k, h], B[w, k]
to C[w, h]
{
  C.cell(x, y) from(A.row(y) a, B.column(x) b) {
    double s = 0;
    for (int i = 0; i < k; i++)
      s += a.cell(i) * b.cell(i);
    return exp(s);
  }
}
"""
SUM, RESULT = 8, 9  # their lines
# What is computed from indices is the same for points in one column; what is computed from data is not.
DIGITS = """transform Digits from A[n, n] : int to B[n, n] : int {
  rule Cells
  B.cell(x, y) from(A.cell(x, y) a) { return a + x % n; }
  schedule blocks for Cells on gpu { items(; each = block); }
}
transform OfData from A[n, n] : int to B[n, n] : int {
  rule Cells
  B.cell(x, y) from(A.cell(x, y) a) { return a % n; }
  schedule blocks for Cells on gpu { items(; each = block); }
}
"""
ON_PROCESSOR = """transform Walk from X[n] to Y[n] {
  Y.cell(i) from(X.cell(i) x, X.all() all) { double v = x; while (v > 1) v /= 2; return v; }
}
"""
failures = []


def check(what, holds, shown=""):
    if not holds:
        failures.append(what)
        print(f"{what}: {shown}")


def run(*words):
    return subprocess.run([PBC, "emulate", *words], capture_output=True, text=True, timeout=120)


def kernels(*words):
    done = run(*words, "--json")
    check(f"{words}: status", done.returncode == 0, done.stderr)
    return {k["name"]: k for k in json.loads(done.stdout)["kernels"]} if done.returncode == 0 else {}


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    open("p.pbcc", "w").write(PROGRAM)
    open("walk.pbcc", "w").write(ON_PROCESSOR)
    found = kernels("p.pbcc", "--n=4096")
    for name, resource in (("Copy.rule0, registers", "DRAM"), ("Polynomial.rule0, global", "f64"), ("Invariant.rule0, global", "f64")):
        k = found.get(name, {})
        check(f"{name} is limited by {resource}", k.get("bottleneck", {}).get("resource") == resource, json.dumps(k)[:400])
    check("roots use special functions", found["Roots.rule0, global"]["used"]["special functions"] > 0.5, found["Roots.rule0, global"])
    # With few warps it is the latency of the chain.
    few = kernels("p.pbcc", "--kernel=Polynomial.rule0", "--registers=255")["Polynomial.rule0, global"]
    check("few warps are limited by its latency", few["bottleneck"]["mode"] == "latency", json.dumps(few["bottleneck"]))
    check("and have a lower occupancy", few["occupancy"] < found["Polynomial.rule0, global"]["occupancy"])
    # Blocks read each cell for many points, so they are faster than items that read for one point each.
    speed = {name: k["points_per_second"] for name, k in found.items() if "points_per_second" in k}
    check("blocks are faster", speed["Product.rule0, blocks"] > 4 * speed["Product.rule0, global"], speed)
    better = found["Product.rule0, global"].get("try_version", {})
    best = max((n for n in speed if n.startswith("Product.rule0")), key=speed.get)
    check("the fastest version is proposed", f"Product.rule0, {better.get('version')}" == best
          and abs(better["times_as_fast"] - speed[best] / speed["Product.rule0, global"]) < 1e-6, better)
    check("the fastest one proposes none", "try_version" not in found[best], found[best].get("try_version"))
    check("with its steps", better.get("schedule") == found[best]["schedule"], better)
    # A remedy is a step with its arguments, as the fastest version has it of those with such a step, and what that version is predicted to gain.
    for name, k in found.items():
        versions = [v for v in found.values() if v["kernel"] == k["kernel"] and "points_per_second" in v]
        for remedy in (r for e in k.get("elasticities", []) for r in e.get("remedies", []) if "steps" in r):
            check(f"{name}: {remedy}: steps of this name", all(s.startswith(remedy["step"] + "(") and s not in k["schedule"] for s in remedy["steps"]), remedy)
            having = [v for v in versions if v["schedule"] != k["schedule"] and any(s in v["schedule"] for s in remedy["steps"])]
            fastest = max(having, key=lambda v: v["points_per_second"])
            check(f"{name}: {remedy}: of the version", all(s in fastest["schedule"] for s in remedy["steps"]) and fastest["version"] == remedy["version"], remedy)
            check(f"{name}: {remedy}: predicted", abs(remedy["times_as_fast"] - fastest["points_per_second"] / k["points_per_second"]) < 1e-6, remedy)
    of = {r["step"]: r for r in found["Product.rule0, global"]["elasticities"][0]["remedies"]}
    check("a product loads strips", any(s.startswith("stage(A; at = ") for s in of["stage"].get("steps", [])) and of["stage"]["times_as_fast"] > 4, of)
    orders = [r for k in found.values() for e in k.get("elasticities", []) for r in e.get("remedies", []) if r["step"] == "order"]
    check("what no version does stays a name", orders and all(r.keys() == {"step", "why"} for r in orders), orders)
    text = run("p.pbcc", "--kernel=Product.rule0", "--n=4096").stdout
    check("text has steps", f"    {'; '.join(of['stage']['steps'])}, as in its version {of['stage']['version']}: predicted {of['stage']['times_as_fast']:.2f} times as fast, {of['stage']['why']}\n" in text, text)
    check("or their names", "    order may help, so that neighbouring items" in run("p.pbcc", "--kernel=Copy.rule0").stdout)
    # Columns: each lane touches a sector of its own.
    far = {name: k.get("points_per_second") for name, k in kernels("p.pbcc", "--n=4096", "--hits=0").items()}
    copy, column = far["Copy.rule0, global"], far["Column.rule0, global"]
    check("strided reads cost sectors", 1.5 * column < copy, (copy, column))
    check("which neighbours have in a cache", speed["Column.rule0, global"] > 1.5 * column, (speed["Column.rule0, global"], column))
    # What the second cache serves does not need the memory.
    served = kernels("p.pbcc", "--kernel=Copy.rule0", "--hits=0.9")["Copy.rule0, global"]
    check("hits relieve the memory", served["points_per_second"] > copy, (served["points_per_second"], copy))
    # For each point eight bytes are read and eight written, so that no version is faster than it: H100 has 3.35 TB/s.
    stencils = {name: rate for name, rate in speed.items() if name.startswith("Stencil.rule0")}
    check("there are versions of the stencil", len(stencils) >= 2, speed)
    for name, rate in stencils.items():
        check(f"{name} is not faster than the memory", rate < 3.4e12 / 16, rate)
    # Another shape: so many items and points of an item as were asked for, and no more of them than there is work for.
    shaped = kernels("p.pbcc", "--kernel=Product.rule0", "--group=32,4", "--cells=4,8", "--n=1024")
    check("groups as asked for", all(k["group"] == [32, 4, 1] for k in shaped.values()), shaped)
    check("cells of items that have several", shaped["Product.rule0, blocks"]["cells"] == [4, 8, 1] and shaped["Product.rule0, global"]["cells"] == [1, 1, 1],
          shaped)
    blocks = ("p.pbcc", "--kernel=Product.rule0", "--n=1024")
    small, large = (kernels(*blocks, f"--points={n},{n}")["Product.rule0, blocks"] for n in (256, 16384))
    check("a small launch leaves multiprocessors idle", small["points_per_second"] < 0.5 * large["points_per_second"], (small, large))
    check("and has one group on each", small["blocks_at_once"] == 1, small)
    check("its time is that of its points", abs(small["launch_seconds"] * small["points_per_second"] / 256**2 - 1) < 1e-6, small)
    full = kernels(*blocks)["Product.rule0, blocks"]
    check("a large launch fills the device", abs(large["points_per_second"] / full["points_per_second"] - 1) < 0.1, (large, full))
    # A search over shapes begins with the kernel's own and proposes none that is predicted to be slower. Registers are given, so that nothing is compiled.
    guided = kernels("p.pbcc", "--kernel=Copy.rule0", "--n=4096", "--registers=32", "--guide")
    for name, k in guided.items():
        proposed = k.get("try", {})
        check(f"{name}: a shape is proposed", proposed.get("times_as_fast", 0) > 0.999, k)
        check(f"{name}: the path begins with its own", proposed["path"][0] == {"group": k["group"], "cells": k["cells"]}, proposed)
        items = proposed["group"][0] * proposed["group"][1] * proposed["group"][2]
        check(f"{name}: a group that can be", 32 <= items <= 1024, proposed)
    best = guided["Copy.rule0, global"]["try"]
    again = kernels("p.pbcc", "--kernel=Copy.rule0", "--n=4096", "--registers=32", "--group=" + ",".join(map(str, best["group"])))["Copy.rule0, global"]
    times = again["points_per_second"] / guided["Copy.rule0, global"]["points_per_second"]
    check("what was promised is what is predicted for it", abs(times / best["times_as_fast"] - 1) < 1e-6, (times, best))
    # Figures of a machine's file decide: with a start of groups that takes long, nothing else is the limit.
    figures = open(os.path.join(MACHINES, "h100.toml")).read()
    open("slow.toml", "w").write(figures + '\n[warp.start]\nsource = "assumed"\ngap = 1000\n')
    slow = kernels("p.pbcc", "--kernel=Copy.rule0", "--machine=./slow.toml")["Copy.rule0, global"]
    check("starts are the limit", slow["bottleneck"]["resource"] == "starts of groups", slow)
    open("special.toml", "w").write(figures.replace("[warp.special]", "[warp.spezial]"))
    open("negative.toml", "w").write(figures.replace('[warp.l1]\nsource = "public"\nlatency = {', '[warp.l1]\nsource = "public"\nlatency = -4 #{'))
    # Regions are lines of the program: what comes from memory is for the sum, also what groups copy; what goes there is for the result.
    open("lines.pbcc", "w").write(LINES)
    for name, k in kernels("lines.pbcc", "--size=k=4096", "--n=4096").items():
        if "elasticities" not in k:
            continue
        for e in k["elasticities"]:
            regions = e.get("regions", [])
            check(f"{name}: {e['parameter']}: files", all(r.get("file", "lines.pbcc") == "lines.pbcc" for r in regions), e)
            check(f"{name}: {e['parameter']}: lines", {r.get("line") for r in regions} <= {None, 6, SUM, RESULT}, e)
            if len(regions) > 1:
                check(f"{name}: {e['parameter']}: they come in order", all(a["value"] >= b["value"] for a, b in zip(regions, regions[1:])), e)
            parts = {part: r.get("line") for r in regions for part in r.get("parts", {})}
            check(f"{name}: {e['parameter']}: copies and loads are for the sum", {parts[p] for p in ("copies for the group", "loads") if p in parts} <= {SUM}, e)
        of = {e["parameter"]: e for e in k["elasticities"]}
        limit = k["elasticities"][0]
        check(f"{name}: its limit comes from the sum", limit.get("regions", [{}])[0].get("line") == SUM, limit)
    blocks = kernels("lines.pbcc", "--size=k=64", "--n=4096", "--kernel=Lines.rule0")["Lines.rule0, blocks"]
    stores = [r for e in blocks["elasticities"] for r in e.get("regions", []) if "stores" in r.get("parts", {})]
    check("stores are for the result", stores and {r["line"] for r in stores} == {RESULT}, blocks["elasticities"])
    text = run("lines.pbcc", "--size=k=4096", "--n=4096", "--kernel=Lines.rule0").stdout
    check("text names lines", f"; line {SUM} 0." in text, text)
    copied = run("lines.pbcc", "--kernel=Lines.rule0", "--trace").stdout
    check("the trace has lines", f"(copies for the group, line {SUM})" in copied and f"(stores, line {RESULT})" in copied, copied)
    # So they are where PTX and machine code say what is done; what is called from a line belongs to it. Skipped where there is no compiler.
    asked = ("lines.pbcc", "--size=k=64", "--n=4096")
    for source in () if "NVRTC" in run(*asked, "--source=ptx").stderr else ("ptx", "sass"):
        for name, k in kernels(*asked, f"--source={source}", "--trace").items():
            of = {}
            for line in k.get("trace", "").splitlines():
                if line.strip().endswith(")"):
                    resource, part = line.split(" x")[0].strip(), line[line.rindex("(") + 1 : -1]
                    of.setdefault((resource, part.split(",")[0]), set()).add(part)
            check(f"{source} {name}: loads are for the sum", of.get(("shared memory" if "global" not in name else "DRAM", "loads")) == {f"loads, line {SUM}"}, of)
            check(f"{source} {name}: stores are for the result", of.get(("DRAM", "stores")) == {f"stores, line {RESULT}"}, of)
            check(f"{source} {name}: so is the exponential", of[("f64", "computing")] == {f"computing, line {SUM}", f"computing, line {RESULT}"}, of)
            if "global" not in name:
                check(f"{source} {name}: copies are for the sum", of.get(("DRAM", "copies for the group"), of.get(("shared memory", "copies for the group")))
                      == {f"copies for the group, line {SUM}"}, of)
            check(f"{source} {name}: all lines are the program's", {r.get("line") for e in k["elasticities"] for r in e.get("regions", [])} <= {None, 6, SUM, RESULT}, k)
    # An item of 4 x 6 points computes four remainders of columns.
    open("digits.pbcc", "w").write(DIGITS)
    for name, remainders in (("Digits", 4), ("OfData", 24)):
        k = kernels("digits.pbcc", f"--kernel={name}.Cells", "--cells=4,6", "--n=4096", "--trace")[f"{name}.Cells, gpu:blocks"]
        found = sum(int(line.split(" x")[1].split()[0]) for line in k["trace"].splitlines() if line.strip().startswith("special functions"))
        check(f"{name}: {remainders} remainders, of two instructions each", found == 2 * remainders, k["trace"])
    walk = kernels("walk.pbcc")["Walk.rule0, global"]
    check("bodies that are calls", walk.get("why") == "its body was not lifted, so that its instructions are not known", walk)
    text = run("p.pbcc", "--kernel=Product.rule0", "--n=4096").stdout
    check("text proposes a version", f"  try its version {better.get('version')}, {better.get('schedule')}: predicted {better.get('times_as_fast', 0):.2f} times as fast" in text, text)
    text = run("p.pbcc", "--kernel=Copy.rule0").stdout
    check("text", "Copy.rule0, global on H100 SXM: limited by DRAM throughput" in text and "predicted for a full device and long loops" in text, text)

    for words, expected in (
        (("p.pbcc", "--machine=none"), "no machine is named 'none'"),
        (("p.pbcc", "--machine=gtx980"), "help: measure it with pbc model measure --device=NAME, or add the figure to the machine's file"),
        (("p.pbcc", "--kernel=Cpy"), "pbc emulate: error: there is no kernel Cpy here\nhelp: the kernels are Copy.rule0, "),
        (("p.pbcc", "--", "--no-devices"), "pbc emulate: error: p.pbcc has no kernel for devices\nhelp: pbc explain p.pbcc says of "
                                           "each rule why it cannot run on one\n"),
        (("p.pbcc", "--hits=2"), "--hits"),
        (("p.pbcc", "--hits=nan"), "nan is no share from 0 to 1"),
        (("p.pbcc", "--size=hh=5"), "pbc emulate: error: p.pbcc has no size hh (did you mean 'h'?)\nhelp: its sizes are h, k, n, w\n"),
        (("p.pbcc", "--source=text"), "--source"),
        (("p.pbcc", "--group=0"), "--group"),
        (("p.pbcc", "--machine=./special.toml"), "there is no [warp.spezial] (did you mean 'special'?)"),
        (("p.pbcc", "--machine=./negative.toml"), "'latency' must be positive and finite, not -4"),
        (("p.pbcc", "--schedules"), "pbc emulate: error: --schedules is for processors, and H100 SXM is a GPU\nhelp: leave it away, or name the file of a processor"),
        (("p.pbcc", "--measure"), "--measure is for processors"),
        (("none.pbcc",), "none.pbcc"),
    ):
        done = run(*words)
        check(f"{words} is refused", done.returncode != 0, done.stdout)
        check(f"{words}: message", expected in done.stderr, done.stderr)

print(f"{len(failures)} failures" if failures else "all as expected")
sys.exit(bool(failures))
