#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much of a full tuning does a configuration from another machine reach after `pbc tune --refresh`?

  transfer.py PBC [--budget=50] [--rounds=15] [SAMPLE ...]

The other machine is this one with a single processor (taskset) and with the machine's name changed in the file. Each
sample is tuned there and, from nothing, here; then the configuration of there is refreshed here with at most a tenth of
the measurements that the tuning here made, races included. The default, the foreign, the refreshed and the full configuration run turn
by turn, each round in another order, each run in a new process. The bar (tuning-practice.md 9): the refreshed one reaches 95 % of
the speed of the full one, in at most a tenth of its trials.
"""
import argparse, os, re, statistics, sys, tempfile
from pathlib import Path

from turns import SAMPLES, call, compare, compiled, in_turns, seconds

SPEED, TRIALS = 0.95, 0.1
RACE = 100  # measurements that are set aside for the last race, which --trials does not count


def measurements(configuration):
    return int(re.search(r"^measurements = (\d+)", Path(configuration).read_text(), re.M)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pbc", type=os.path.abspath)
    parser.add_argument("--budget", type=float, default=50)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("samples", nargs="*", default=list(SAMPLES))
    options = parser.parse_intermixed_args()
    reached = True
    print(f"{'sample':12} {'default':>9} {'foreign':>9} {'refreshed':>9} {'full':>9}  {'trials':>11}  "
          f"speed of refreshed, of full   bars {SPEED}, {TRIALS}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.samples:
            program, size = compiled(options.pbc, name, folder), SAMPLES[name]
            # A journal of its own lies beside each result: nothing is remembered.
            foreign, refreshed, full = (f"{folder}/{name}.{kind}.cfg" for kind in ("foreign", "refreshed", "full"))
            tune = [options.pbc, "tune", program, *size, "--report=none"]
            call("taskset", "-c", "0", *tune, f"--budget={options.budget}", f"--output={foreign}")
            call(*tune, f"--budget={options.budget}", "--seed=2", f"--output={full}")
            there = re.sub(r'processor = "[^"]*"', 'processor = "Elsewhere"', Path(foreign).read_text())
            Path(refreshed).write_text(there)
            most = int(TRIALS * measurements(full))
            call(*tune, "--refresh", f"--trials={max(most - RACE, 1)}", f"--output={refreshed}")
            took = measurements(refreshed)
            runs = [lambda seed, c=c: seconds(program, size, c, seed) for c in (None, foreign, refreshed, full)]
            times = in_turns(options.rounds, *runs)
            speed = compare(times[2], times[3])
            verdict = ["yes" if speed[0] >= SPEED else "unclear" if speed[2] >= SPEED else "NO",
                       "yes" if took <= most else "NO"]
            reached &= "NO" not in verdict
            print(f"{name:12} " + " ".join(f"{statistics.median(t):9.3g}" for t in times) +
                  f"  {took:4} of {measurements(full):4}  {speed[0]:.3f} ({speed[1]:.3f} to {speed[2]:.3f})          "
                  f"{', '.join(verdict)}", flush=True)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
