# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Products and triangular solves against OpenBLAS, and the product against Clang with Polly."""
import statistics
from pathlib import Path
from samples import Limits, call, in_turns, row, seconds, verdict

HERE = Path(__file__).resolve().parent
SQUARES = [(n, n, n) for n in (256, 512, 1024, 2048)]
SMALL = [(n, n, n) for n in (32, 64, 100, 128)]
ODD = [(1000, 7, 1000), (7, 1000, 1000), (1001, 999, 37), (37, 1023, 1001), (4000, 24, 24), (24, 4000, 24)]


def measure(tools):
    program, blas = (tools.work / n for n in ("dense", "blas"))
    call(tools.pbc, HERE / "dense.pbcc", "-o", program)
    call("clang++-19", "-std=c++20", "-O3", "-march=native", HERE / "blas.cpp", "-o", blas, "-lopenblas")
    limits = Limits(tools)

    def polly(transform, n):
        program = tools.work / f"polly_{transform}_{n}"
        if not program.exists():
            call("clang++-19", "-std=c++20", "-O3", "-march=native", "-ffast-math", "-mllvm", "-polly", f"-DN={n}",
                 "-DT=" + ("float" if transform == "ProductFloat" else "double"), HERE / "polly.cpp", "-o", program)
        return program

    def against(transform, size, threads, bar, polly_bar=None):
        w, h, k = size
        often = max(size) <= 128
        name = transform + ("Often" if often else "")
        ours = [program, "--noconfig", f"--transform={name}", "--time", f"--threads={threads}", f"--size=w={w}", f"--size=h={h}"]
        if transform.startswith("Product"):
            ours.append(f"--size=k={k}")
        runs = [lambda: seconds(*ours), lambda: seconds(blas, name, w, h, k, threads)]
        if polly_bar and threads == 1:
            runs.append(lambda loops=polly(transform, w): seconds(loops))
        samples = in_turns(tools.rounds, *runs)
        half = transform in ("Triangular", "Solve")
        operations = (1 if half else 2) * w * h * k * (100 if often else 1)
        peak = limits.operations("float" if transform == "ProductFloat" else "double") * threads / 1e9
        for peer, least, theirs in zip(("OpenBLAS", "Polly"), (bar, polly_bar), samples[1:]):
            by_median = statistics.median(theirs) / statistics.median(samples[0])
            by_best = min(theirs) / min(samples[0])
            rates = [operations / statistics.median(s) / 1e9 for s in (samples[0], theirs)]
            row(f"dense: {transform} {w}x{h}x{k}, {threads} thread{'s'[: threads > 1]}, {peer}",
                f"{rates[0]:.1f} GF ({rates[0] / peak:.0%})", f"{rates[1]:.1f} GF", f"{by_median:.2f} ({by_best:.2f}) times as fast",
                f">= {least}", verdict(by_median >= least, by_best >= least))

    for threads in (1, 2):
        for transform in ("Product", "ProductFloat"):
            for size in SQUARES:
                against(transform, size, threads, 0.8, 1.5)
            for size in SMALL + ODD:
                against(transform, size, threads, 1.0)
        for transform in ("Triangular", "Symmetric", "Solve"):
            for n in (256, 1024):
                against(transform, (n, n, n), threads, 0.7)
