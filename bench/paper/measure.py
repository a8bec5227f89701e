# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The seven benchmarks of petabricks-hetero 9, as programs over the standard library: how long a quick tuning takes, and what it brings over the default
configuration. `BENCHMARKS=sort,svd SECONDS=10 bench/run paper` chooses. scripts/results makes all tables of the paper."""
import os
import statistics
import time
from paper import benchmarks
from samples import call, in_turns, row, seconds, shown, verdict

BUDGET = os.environ.get("SECONDS", "12")


def measure(tools):
    took = []
    for b in benchmarks.named([n for n in os.environ.get("BENCHMARKS", "").split(",") if n]):
        program, config, size = tools.work / b.name, tools.work / f"{b.name}.cfg", b.arguments(b.sizes[b.tuned])
        call(tools.pbc, b.source, "-o", program)
        begin = time.monotonic()
        call(tools.pbc, "tune", program, *size, f"--budget={BUDGET}", "--report=none", f"--output={config}")
        took.append(time.monotonic() - begin)
        default, tuned = in_turns(tools.rounds, lambda: seconds(program, "--noconfig", *size, "--time"), lambda: seconds(program, f"--config={config}", *size, "--time"))
        by_median, by_best = (of(default) / of(tuned) for of in (statistics.median, min))
        row(f"paper: {b.name}", shown(statistics.median(tuned)), f"default {shown(statistics.median(default))}", f"{by_median:.2f} ({by_best:.2f})",
            ">= 1.0", verdict(by_median >= 0.95, by_best >= 0.95))
    mean = statistics.mean(took)
    row("paper: mean time of a quick tuning", f"{mean:.1f} s", "-", "-", "<= 60 s", mean <= 60)
