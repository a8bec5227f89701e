#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do two tunings of one program on one machine choose configurations of one speed?

  repeatability.py PBC [--budget=50] [--rounds=15] [--most=75] [--tunings=2] [SAMPLE ...]

Each sample is tuned twice from nothing, with different seeds of the search, at one size. Then both configurations run
turn by turn, each round in another order, each run in a new process, and go on until it is clear or there were so
many rounds. The bar (tuning-practice.md 9): the medians differ by at most 3 %. What the default does against itself, measured the same
way, shows what this machine can tell apart now.
"""
import argparse, os, statistics, sys, tempfile

from turns import SAMPLES, call, compare, compiled, in_turns, seconds

BAR = 0.03


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pbc", type=os.path.abspath)
    parser.add_argument("--budget", type=float, default=50)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--most", type=int, default=75)
    parser.add_argument("--tunings", type=int, default=2)
    parser.add_argument("samples", nargs="*", default=list(SAMPLES))
    options = parser.parse_intermixed_args()
    print(f"{'sample':12} {'default':>9} {'tuned':>9}  second against first    default against itself   bar {BAR:.0%}")
    reached = True
    with tempfile.TemporaryDirectory() as folder:
        for name in options.samples:
            program, size = compiled(options.pbc, name, folder), SAMPLES[name]
            configurations = []
            for k in range(options.tunings):
                # A journal of its own lies beside each result: nothing is remembered.
                configurations.append(f"{folder}/{name}{k}.cfg")
                call(options.pbc, "tune", program, *size, f"--budget={options.budget}", f"--seed={k + 1}", "--report=none",
                     f"--output={configurations[-1]}")
            runs = [lambda seed, c=c: seconds(program, size, c, seed) for c in configurations]
            default = lambda seed: seconds(program, size, None, seed)
            times = [[] for _ in range(options.tunings + 2)]
            while not times[0] or (len(times[0]) < options.most and low <= 1 + BAR < high):
                for known, new in zip(times, in_turns(options.rounds, *runs, default, default)):
                    known += new
                *tuned, before, after = times
                ratio, low, high = max((compare(a, b) for a in tuned for b in tuned if a is not b), key=lambda r: r[0])
            own = compare(before, after)
            verdict = "yes" if ratio <= 1 + BAR else "unclear" if low <= 1 + BAR else "NO"
            reached &= verdict != "NO"
            print(f"{name:12} {statistics.median(before):9.3g} {statistics.median(tuned[0]):9.3g}  "
                  f"{ratio:.3f} ({low:.3f} to {high:.3f})  {own[0]:.3f} ({own[1]:.3f} to {own[2]:.3f})  {len(before)} rounds: {verdict}",
                  flush=True)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
