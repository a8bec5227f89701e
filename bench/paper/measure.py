# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The seven benchmarks of petabricks-hetero 9, as programs over the standard library: how long a quick tuning takes, and what it brings over the default
configuration. `BENCHMARKS=sort,svd SECONDS=10 bench/run paper` chooses."""
import os
import statistics
import time
from pathlib import Path
from samples import call, in_turns, row, seconds, shown, verdict

HERE = Path(__file__).resolve().parent
SIZES = {
    "black_scholes": ["--n=500000"],
    "poisson": ["--n=1023"],
    "convolution": ["--size=w=1760", "--size=h=1760", "--size=kw=7"],
    "sort": ["--n=1048576"],
    "strassen": ["--n=1024"],
    "svd": ["--n=256"],
    "tridiagonal": ["--n=1000000"],
}
BUDGET = os.environ.get("SECONDS", "12")


def measure(tools):
    took = []
    for name in os.environ.get("BENCHMARKS", ",".join(SIZES)).split(","):
        program, config = tools.work / name, tools.work / f"{name}.cfg"
        call(tools.pbc, HERE / f"{name}.pbcc", "-o", program)
        begin = time.monotonic()
        call(tools.pbc, "tune", program, *SIZES[name], f"--budget={BUDGET}", "--report=none", f"--output={config}")
        took.append(time.monotonic() - begin)
        default, tuned = in_turns(tools.rounds, lambda: seconds(program, "--noconfig", *SIZES[name], "--time"),
                                  lambda: seconds(program, f"--config={config}", *SIZES[name], "--time"))
        by_median, by_best = (of(default) / of(tuned) for of in (statistics.median, min))
        row(f"paper: {name}", shown(statistics.median(tuned)), f"default {shown(statistics.median(default))}", f"{by_median:.2f} ({by_best:.2f})",
            ">= 1.0", verdict(by_median >= 0.95, by_best >= 0.95))
    mean = statistics.mean(took)
    row("paper: mean time of a quick tuning", f"{mean:.1f} s", "-", "-", "<= 60 s", mean <= 60)
