#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the three sources of pbc emulate (the compiler's loops, PTX, machine code) say the same of kernels: trace_sources.py PBC PROGRAM...

Two sources agree on a kernel if the parameter with the greatest elasticity is the same (strict), or if that of each has at least half of the
greatest elasticity with the other one: then the one that comes first is chance, as where two limits meet. Prints each disagreement, and the
shares. The status is 1 if less than four in five kernels agree. Needs NVRTC; without it nothing is compared."""
import itertools, json, os, subprocess, sys

SOURCES = ("loops", "ptx", "sass")


def kernels(pbc, program, source):
    done = subprocess.run([pbc, "emulate", program, "--n=4096", f"--source={source}", "--json"],
                          capture_output=True, text=True, timeout=600)
    if done.returncode:
        if "needs CUDA's compiler" in done.stderr:
            print("skipped: NVRTC is not installed")
            sys.exit(0)
        return {}
    return {k["name"]: {e["parameter"]: e["value"] for e in k["elasticities"]}
            for k in json.loads(done.stdout)["kernels"] if "elasticities" in k}


def first(elasticities):
    return max(elasticities, key=elasticities.get, default="")


def is_alike(a, b):
    def has(one, other):
        return one.get(first(other), 0) >= 0.5 * max(one.values(), default=0)
    return has(a, b) and has(b, a)


pbc, programs = os.path.abspath(sys.argv[1]), sys.argv[2:]
strict = alike = count = 0
pairs = {pair: [0, 0] for pair in itertools.combinations(SOURCES, 2)}
for program in programs:
    found = {source: kernels(pbc, program, source) for source in SOURCES}
    for name in found["loops"]:
        if any(name not in found[s] for s in SOURCES):
            continue
        each = [found[s][name] for s in SOURCES]
        count += 1
        same = len({first(e) for e in each}) == 1
        near = all(is_alike(a, b) for a, b in itertools.combinations(each, 2))
        strict, alike = strict + same, alike + near
        for a, b in pairs:
            pairs[a, b][0] += first(found[a][name]) == first(found[b][name])
            pairs[a, b][1] += is_alike(found[a][name], found[b][name])
        if not near:
            print(f"{os.path.basename(program)} {name}: " + "; ".join(
                f"{s}: " + ", ".join(f"{p} {v:.2f}" for p, v in sorted(e.items(), key=lambda x: -x[1])[:2])
                for s, e in zip(SOURCES, each)))
if count:
    print(f"{count} kernels: {strict / count:.0%} strictly the same, {alike / count:.0%} the same or one of two limits that meet")
    for (a, b), (same, near) in pairs.items():
        print(f"  {a} and {b}: {same / count:.0%}, {near / count:.0%}")
sys.exit(bool(count and alike < 0.8 * count))
