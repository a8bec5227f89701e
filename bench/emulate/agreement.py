#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How near the predictions of `pbc emulate` for this processor are to measurements, over kernels of six kinds in several schedules each.

    build/release/bin/pbc model measure -o here.toml
    bench/emulate/agreement.py here.toml              all kernels: about 10 minutes on two cores
    bench/emulate/agreement.py here.toml --only=grids
    bench/emulate/agreement.py here.toml --held-out   only the further kernels

For each kernel: predicted and measured time of the default schedule, the ratio, what it is limited by, and Kendall's tau between predicted and
measured times of its schedules. Then the geometric mean of the errors, and the median of tau, of the kernels that the model was made with and
of those that were written afterwards. Tau is printed twice: over all pairs of schedules that are not predicted alike, and without the pairs whose measured
times say nothing about an order: those that differ by less than 5 %, or, with --rounds, by less than the times of one of the two differ between rounds.
With --rounds, a schedule's measured time is the least of so many runs.
"""
import argparse
import itertools
import json
import math
import pathlib
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SAME = 1.05  # times that are nearer to each other than this say nothing about an order
RUNS = [("vectors", 4000), ("vectors", 4_000_000), ("grids", 300), ("grids", 2000), ("products", 120)]
HELD_OUT = [("held_out", 300), ("held_out_volumes", 60)]


def tau(rows, same=SAME):
    """None where no pair is left; `same`: 1 for all pairs."""
    agree = disagree = 0
    for a, b in itertools.combinations(rows, 2):
        spread = same if same == 1 else max(same, a["spread"], b["spread"])
        if max(a["measured_seconds"], b["measured_seconds"]) < spread * min(a["measured_seconds"], b["measured_seconds"]):
            continue
        predicted = a["seconds"] - b["seconds"]
        measured = a["measured_seconds"] - b["measured_seconds"]
        if predicted * measured > 0:
            agree += 1
        elif predicted * measured < 0:
            disagree += 1
    return (agree - disagree) / (agree + disagree) if agree + disagree else None


def rows_of(given, name, n):
    """The rows of a file's kernels, each with the least of its measured times."""
    command = [given.pbc, "emulate", HERE / f"{name}.pbcc", f"--n={n}", f"--machine={given.machine}", "--measure", "--json"]
    command += [] if given.default else ["--schedules"]
    least, second = {}, {}
    for _ in range(given.rounds):
        kernels = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["kernels"]
        for k in kernels:
            key = k["name"], k.get("schedule")
            if "measured_seconds" in k:
                times = sorted([k["measured_seconds"], least.get(key, math.inf), second.get(key, math.inf)])
                least[key] = k["measured_seconds"] = times[0]
                second[key] = times[1]
                k["spread"] = times[1] / times[0] if math.isfinite(times[1]) else 1  # between the two shortest
    return [k for k in kernels if "measured_seconds" in k and "seconds" in k]


def compare(given, runs):
    errors, taus, ofAll = [], [], []
    for name, n in runs:
        if given.only not in ("", name):
            continue
        for kernel, group in itertools.groupby(rows_of(given, name, n), key=lambda k: k["name"]):
            rows = list(group)
            if rows[0]["measured_seconds"] < 5e-8:  # edges of a single cell
                continue
            first = rows[0]
            ratio = first["seconds"] / first["measured_seconds"]
            order = tau(rows)
            errors.append(abs(math.log(ratio)))
            every = tau(rows, 1)
            if order is not None:
                taus.append(order)
            if every is not None:
                ofAll.append(every)
            limit = first.get("bottleneck", {})
            print(
                f"{kernel:<24}{n:>9}{first['seconds'] * 1e6:>9.2f} us{first['measured_seconds'] * 1e6:>9.2f} us{ratio:>7.2f}"
                f"{'' if order is None else f'{order:.2f}':>7}{'' if every is None else f'{every:.2f}':>7}  {limit.get('resource', '')} {limit.get('mode', '')}",
                flush=True,
            )
    if errors:
        print(f"{len(errors)} kernels: geometric mean of errors {100 * (math.exp(statistics.mean(errors)) - 1):.0f} %, "
              f"median {100 * (math.exp(statistics.median(errors)) - 1):.0f} %")
    for name, found in (("without pairs within the spread", taus), ("over all pairs", ofAll)):
        if found:
            print(f"Kendall's tau {name}, {len(found)} kernels: median {statistics.median(found):.2f}, least {min(found):.2f}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("machine")
    options.add_argument("--only", default="", help="one of " + ", ".join(sorted({name for name, _ in RUNS + HELD_OUT})))
    options.add_argument("--pbc", default=HERE.parents[1] / "build/release/bin/pbc")
    options.add_argument("--default", action="store_true", help="the default schedules only")
    options.add_argument("--held-out", action="store_true", help="only the further kernels")
    options.add_argument("--rounds", type=int, default=1)
    given = options.parse_args()
    print(f"{'kernel':<24}{'n':>9}{'predicted':>12}{'measured':>12}{'ratio':>7}{'tau':>7}{'all':>7}  limited by")
    if not given.held_out:
        compare(given, RUNS)
    print("held out:")
    compare(given, HELD_OUT)


main()
