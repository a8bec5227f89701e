#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The contraction of which bottleneck-analysis.md 7 changes what limits it, three times, by hand: contraction.py PBC ROOT

Each version of bench/emulate/contraction.pbcc is limited on a K20c by what the source found for it, at the same part of the program, and is
predicted to be faster than the one before. As there, nothing comes from caches. Items have 5 x 5 points, each 16 places from the next: of even
numbers, two points of an item are neighbours here, so that one access touches halves of sectors."""
import json, os, subprocess, sys

PBC, ROOT = (os.path.abspath(p) for p in sys.argv[1:3])
PROGRAM = os.path.join(ROOT, "bench/emulate/contraction.pbcc")
# Of each version: what limits it, and as a share of the time, how much of that is for storing the results (CR4), in print.
PRINTED = {
    "original": ("DRAM throughput", 0.58, 0.52),
    "swapped": ("DRAM latency", 0.38, 0.35),
    "tabled": ("DRAM latency", 0.41, 0.40),
    "together": ("DRAM throughput", 0.59, 0.39),
}
failures = []


def check(what, holds, shown=""):
    if not holds:
        failures.append(what)
        print(f"{what}: {shown}")


def emulated(*words):
    done = subprocess.run([PBC, "emulate", PROGRAM, "--machine=k20c", "--group=16,16", "--size=s=16", "--n=4096", "--hits=0", "--json", *words],
                          capture_output=True, text=True, timeout=120)
    check(f"{words}: status", done.returncode == 0, done.stderr)
    found = json.loads(done.stdout)["kernels"] if done.returncode == 0 else []
    return {k["name"].split("gpu:")[1]: k for k in found if "gpu:" in k["name"]}


def line_of(text):
    """Each line of the program with this text."""
    return {number for number, line in enumerate(open(PROGRAM), 1) if text in line}


def value(k, parameter):
    return next((e["value"] for e in k["elasticities"] if e["parameter"] == parameter), 0)


RESULT = line_of("return ")
# The memory of groups limits how many fit, not the registers of items, of which no compiler for the K20c says here how many there are.
found = emulated("--cells=5,5", "--registers=86")
check("the four versions", list(found) == list(PRINTED), list(found))
for name, (limit, printed, _) in PRINTED.items():
    k = found[name]
    first = k["elasticities"][0]
    check(f"{name}: limited by {limit}", first["parameter"] == limit, k["verdict"])
    check(f"{name}: clearly", first["value"] > 1.2 * k["elasticities"][1]["value"], k["verdict"])
    check(f"{name}: as much as in print, or more", first["value"] > printed - 0.05, (k["verdict"], printed))
for name in ("original", "swapped", "tabled"):
    first = found[name]["elasticities"][0]
    check(f"{name}: most of it is for the results", first["regions"][0]["line"] in RESULT and first["regions"][0]["value"] > 0.8 * first["value"], first)
# Loads of all results in front of the sum, stores behind it.
lines = {r["line"]: r["parts"] for r in found["together"]["elasticities"][0]["regions"] if "line" in r}
check("together: loads and stores of the results", any("loads" in lines.get(n, {}) for n in line_of("double sum = t;"))
      and any("stores" in lines.get(n, {}) for n in RESULT), lines)
# Computing indices costs a part of the time, until they are in memory.
indices = {n: value(found[n], "integers latency") + value(found[n], "special functions latency") for n in found}
check("computing indices counts", 0.1 < indices["original"] < 0.3 and 0.1 < indices["swapped"] < 0.3, indices)
check("and no longer", indices["tabled"] < 0.06, indices)
speeds = [found[name]["points_per_second"] for name in PRINTED]
check("each change makes it faster", all(a < b for a, b in zip(speeds, speeds[1:])), speeds)
check("about twice as fast in the end", 1.5 < speeds[-1] / speeds[0] < 2.5, speeds)

print("all as in print" if not failures else f"{len(failures)} failures")
sys.exit(1 if failures else 0)
