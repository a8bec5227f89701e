#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the limits that `pbc emulate` predicts for this processor are the true ones, shown by interventions.

    build/release/bin/pbc model measure -o here.toml
    bench/emulate/interventions.py here.toml          about two minutes

For each kernel of interventions.pbcc, at a size that fits into the first cache, one for the second, and one for none of the core:

    traffic   the same kernel at the smallest size: time for each cell
    chains    the kernel with twice as many independent chains
    less      the kernel without the operation that may be the limit

What gains most is what limits the kernel: a memory, the latency of a chain, or a unit. The kind that is predicted is the same, or not; if nothing gains
a tenth, it counts as not. Processor time is not asked for: the least of several rounds of `--measure` is taken.
"""
import argparse
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SIZES = [1000, 40_000, 4_000_000]
LEAST = 1.1  # what gains less shows nothing
MEMORIES = {"L2", "L3", "memory", "pages"}


def kind(limit):
    if limit["resource"] in MEMORIES:
        return "traffic"
    return "chains" if limit["mode"] == "latency" else "less"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("machine")
    options.add_argument("--pbc", default=HERE.parents[1] / "build/release/bin/pbc")
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    seconds, limits = {}, {}
    for n in SIZES:
        for _ in range(given.rounds):
            command = [given.pbc, "emulate", HERE / "interventions.pbcc", f"--n={n}", f"--machine={given.machine}", "--measure", "--json"]
            for k in json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["kernels"]:
                if "measured_seconds" not in k or "bottleneck" not in k:
                    continue
                name = k["name"].split(".")[0]
                if k["measured_seconds"] < 5e-8:  # edges of a single cell
                    continue
                seconds[name, n] = min(seconds.get((name, n), 1e9), k["measured_seconds"])
                limits[name, n] = k["bottleneck"]
    names = sorted({name for name, _ in seconds if not name.endswith(("Chains", "Less"))})
    agreed = shown = 0
    print(f"{'kernel':<14}{'n':>9}{'traffic':>9}{'chains':>9}{'less':>9}  shown     predicted")
    for name in names:
        for n in SIZES:
            if (name, n) not in seconds or (name, SIZES[0]) not in seconds:
                continue
            here = seconds[name, n]
            gains = {"traffic": here / n / (seconds[name, SIZES[0]] / SIZES[0])}
            for other, suffix in (("chains", "Chains"), ("less", "Less")):
                if (name + suffix, n) in seconds:
                    gains[other] = here / seconds[name + suffix, n]
            best = max(gains, key=gains.get)
            limit = limits[name, n]
            shown += 1
            agrees = gains[best] >= LEAST and best == kind(limit)
            agreed += agrees
            columns = "".join(f"{gains[k]:>9.2f}" if k in gains else f"{'':>9}" for k in ("traffic", "chains", "less"))
            print(f"{name:<14}{n:>9}{columns}  {best if gains[best] >= LEAST else 'nothing':<9} {limit['resource']} {limit['mode']}{'' if agrees else '   not'}")
    print(f"the kind agrees in {agreed} of {shown}: {100 * agreed / shown:.0f} %")


main()
