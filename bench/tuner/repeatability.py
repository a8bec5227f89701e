#!/usr/bin/env python3
"""Do two tunings of one program on one machine choose configurations of one speed?

  repeatability.py PBC [--budget=20] [--rounds=15] [--tunings=2] [SAMPLE ...]

Each sample is tuned twice from nothing, with different seeds of the search, at one size. Then both configurations run
turn by turn, odd rounds the other way round, each run in a new process. The bar (issue 6): the medians differ by at
most 3 %. What the default does against itself, measured the same way, shows what this machine can tell apart now.
"""
import argparse, math, os, re, statistics, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# As large as a run of some milliseconds needs.
SAMPLES = {"sort": ["--n=200000"], "matmul": ["--n=512"], "convolution": ["--size=w=1500", "--size=h=1000", "--size=KW=9"],
           "heat": ["--n=1024"], "prefixsum": ["--n=4000000"]}
BAR = 0.03


def call(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def seconds(program, size, configuration):
    words = [f"--config={configuration}"] if configuration else ["--noconfig"]
    return float(re.search(r"time: (\S+) s", call(program, *size, "--time", *words))[1])


def in_turns(rounds, *runs):
    """Times of each, odd rounds backwards."""
    times = [[] for _ in runs]
    for k in range(rounds):
        for i in sorted(range(len(runs)), reverse=k % 2 == 1):
            times[i].append(runs[i]())
    return times


def compare(a, b):
    """How many times as slow b is, by the medians of paired ratios, and the interval of that (order statistics)."""
    ratios = sorted(y / x for x, y in zip(a, b))
    n, tail, k = len(ratios), 0.0, 0
    while k < n // 2 and tail + math.comb(n, k) / 2**n < 0.025:
        tail += math.comb(n, k) / 2**n
        k += 1
    return statistics.median(ratios), ratios[max(k - 1, 0)], ratios[min(n - k, n - 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pbc", type=os.path.abspath)
    parser.add_argument("--budget", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--tunings", type=int, default=2)
    parser.add_argument("samples", nargs="*", default=list(SAMPLES))
    options = parser.parse_intermixed_args()
    print(f"{'sample':12} {'default':>9} {'tuned':>9}  second against first    default against itself   bar {BAR:.0%}")
    reached = True
    with tempfile.TemporaryDirectory() as folder:
        for name in options.samples:
            program, size = f"{folder}/{name}", SAMPLES[name]
            call(options.pbc, ROOT / "samples" / f"{name}.pbcc", "-o", program)
            configurations = []
            for k in range(options.tunings):
                # A journal of its own lies beside each result: nothing is remembered.
                configurations.append(f"{folder}/{name}{k}.cfg")
                call(options.pbc, "tune", program, *size, f"--budget={options.budget}", f"--seed={k + 1}", "--report=none",
                     f"--output={configurations[-1]}")
            runs = [lambda c=c: seconds(program, size, c) for c in configurations]
            default = lambda: seconds(program, size, None)
            *times, before, after = in_turns(options.rounds, *runs, default, default)
            ratio, low, high = max((compare(a, b) for a in times for b in times if a is not b), key=lambda r: r[0])
            own = compare(before, after)
            verdict = "yes" if ratio <= 1 + BAR else "unclear" if low <= 1 + BAR else "NO"
            reached &= verdict != "NO"
            print(f"{name:12} {statistics.median(before):9.3g} {statistics.median(times[0]):9.3g}  "
                  f"{ratio:.3f} ({low:.3f} to {high:.3f})  {own[0]:.3f} ({own[1]:.3f} to {own[2]:.3f})  {verdict}", flush=True)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
