# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The five samples, tuned and run in turns: what repeatability.py, efforts.py and transfer.py have in common."""
import math, random, re, statistics, subprocess, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# As large as a run of some milliseconds needs.
SAMPLES = {"sort": ["--n=200000"], "matmul": ["--n=512"], "convolution": ["--size=w=1500", "--size=h=1000", "--size=KW=9"],
           "heat": ["--n=1024"], "prefixsum": ["--n=4000000"]}


def call(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def seconds(program, size, configuration, seed):
    """Of inputs by this seed."""
    words = [f"--config={configuration}"] if configuration else ["--noconfig"]
    return float(re.search(r"time: (\S+) s", call(program, *size, f"--seed={seed}", "--time", *words))[1])


def in_turns(rounds, *runs):
    """Times of each: every round with other inputs, whose seed the runs get, and in another order, for what runs before
    a run may change what it takes."""
    times, any_order = [[] for _ in runs], random.Random(1)
    for seed in range(1, rounds + 1):
        for i in any_order.sample(range(len(runs)), len(runs)):
            times[i].append(runs[i](seed))
    return times


def compare(a, b):
    """How many times as slow b is, by the medians of paired ratios, and the interval of that (order statistics)."""
    ratios = sorted(y / x for x, y in zip(a, b))
    n, tail, k = len(ratios), 0.0, 0
    while k < n // 2 and tail + math.comb(n, k) / 2**n < 0.025:
        tail += math.comb(n, k) / 2**n
        k += 1
    return statistics.median(ratios), ratios[max(k - 1, 0)], ratios[min(n - k, n - 1)]


def compiled(pbc, name, folder):
    """The sample's program."""
    call(pbc, ROOT / "samples" / f"{name}.pbcc", "-o", f"{folder}/{name}")
    return f"{folder}/{name}"
