#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What does a minute of tuning miss, and is it ever worse than none?

  efforts.py PBC [--keep=FOLDER] [--rounds=15] [--only=full] [SAMPLE ...]

Each sample is tuned from nothing with --effort=quick and with --effort=full, at one size. Then the default and both
configurations run turn by turn, each round in another order, each run in a new process. The bars (tuning-practice.md 9): quick
takes less than 60 s, is at most 10 % slower than full, and is not slower than the default (paired, 95 %). With --keep
the configurations stay in that folder, and those that are there are not made again: full takes ten minutes each.
"""
import argparse, os, statistics, sys, tempfile, time
from pathlib import Path

from turns import SAMPLES, call, compare, compiled, in_turns, seconds

MOST_SECONDS, BEHIND_FULL = 60, 0.10


def tuned(pbc, program, size, effort, folder):
    """The configuration and how long making it took."""
    configuration, took = folder / f"{Path(program).name}.{effort}.cfg", folder / f"{Path(program).name}.{effort}.seconds"
    if not (configuration.exists() and took.exists()):
        begin = time.monotonic()
        call(pbc, "tune", program, *size, f"--effort={effort}", "--fresh", "--report=none", f"--output={configuration}")
        took.write_text(f"{time.monotonic() - begin:.1f}")
    return configuration, float(took.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pbc", type=os.path.abspath)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=["quick", "full"], help="make these configurations; nothing is compared")
    parser.add_argument("samples", nargs="*", default=list(SAMPLES))
    options = parser.parse_intermixed_args()
    reached = True
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not options.only:
            print(f"{'sample':12} {'default':>9} {'quick':>9} {'full':>9} {'quick took':>10}  quick against full"
                  f"        quick against default    bars {MOST_SECONDS} s, {1 + BEHIND_FULL:.2f}, 1")
        for name in options.samples:
            program, size = compiled(options.pbc, name, folder), SAMPLES[name]
            if options.only:
                tuned(options.pbc, program, size, options.only, folder)
                continue
            quick, took = tuned(options.pbc, program, size, "quick", folder)
            full, _ = tuned(options.pbc, program, size, "full", folder)
            runs = [lambda seed, c=c: seconds(program, size, c, seed) for c in (None, quick, full)]
            default, byQuick, byFull = in_turns(options.rounds, *runs)
            behind, over = compare(byFull, byQuick), compare(default, byQuick)
            verdict = [took < MOST_SECONDS, behind[1] <= 1 + BEHIND_FULL, over[1] <= 1]
            reached &= all(verdict)
            print(f"{name:12} {statistics.median(default):9.3g} {statistics.median(byQuick):9.3g} "
                  f"{statistics.median(byFull):9.3g} {took:8.1f} s  {behind[0]:.3f} ({behind[1]:.3f} to {behind[2]:.3f})  "
                  f"{over[0]:.3f} ({over[1]:.3f} to {over[2]:.3f})  {', '.join('yes' if v else 'NO' for v in verdict)}",
                  flush=True)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
