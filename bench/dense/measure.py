# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Products and triangular solves against the fastest BLAS that is there, and the product against Clang with Polly."""
import statistics
from pathlib import Path
from peers import best_of, compiler, judged
from samples import Limits, call, in_turns, row, seconds, verdict

HERE = Path(__file__).resolve().parent
SQUARES = [(n, n, n) for n in (256, 512, 1024, 2048)]
SMALL = [(n, n, n) for n in (32, 64, 100, 128)]
ODD = [(1000, 7, 1000), (7, 1000, 1000), (1001, 999, 37), (37, 1023, 1001), (4000, 24, 24), (24, 4000, 24)]


def measure(tools):
    program, blas = (tools.work / n for n in ("dense", "blas"))
    call(tools.pbc, HERE / "dense.pbcc", "-o", program)
    call("clang++-19", "-std=c++20", "-O3", "-march=native", HERE / "blas.cpp", "-o", blas, "-ldl")
    limits = Limits(tools)
    polly_peer = compiler("clang++-19")
    libraries = tools.peers.blas()
    if not libraries:
        print("  dense: no BLAS is there: bench/install-peers fetches three", flush=True)

    def by_library(library, name, size, threads):
        w, h, k = size
        return seconds(blas, library.library, library.prefix, name, w, h, k, env=library.environment(threads))

    remarks = {library: judged(blas, library, limits) for library in libraries}

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
        runs = {library: lambda library=library: by_library(library, name, size, threads) for library in libraries}
        if polly_bar and threads == 1:
            runs[polly_peer] = lambda loops=polly(transform, w): seconds(loops)
        mine, *others = in_turns(tools.rounds, lambda: seconds(*ours), *runs.values())
        samples = dict(zip(runs, others))
        against_polly = {polly_peer: samples.pop(polly_peer)} if polly_peer in samples else {}
        rivals = [(best_of(samples), bar)] if samples else []
        rivals += [(p, polly_bar) for p in against_polly]
        samples |= against_polly
        half = transform in ("Triangular", "Solve")
        operations = (1 if half else 2) * w * h * k * (100 if often else 1)
        peak = limits.operations("float" if transform == "ProductFloat" else "double") * threads / 1e9
        for peer, least in rivals:
            theirs = samples[peer]
            by_median = statistics.median(theirs) / statistics.median(mine)
            by_best = min(theirs) / min(mine)
            rates = [operations / statistics.median(s) / 1e9 for s in (mine, theirs)]
            known = f"{peer} with Polly" if peer is polly_peer else f"{peer}"
            row(f"dense: {transform} {w}x{h}x{k}, {threads} thread{'s'[: threads > 1]}",
                f"{rates[0]:.1f} GF ({rates[0] / peak:.0%})", f"{known}: {rates[1]:.1f} GF ({rates[1] / peak:.0%}){remarks.get(peer, '')}",
                f"{by_median:.2f} ({by_best:.2f}) times as fast", f">= {least}", verdict(by_median >= least, by_best >= least))

    for threads in (1, 2):
        for transform in ("Product", "ProductFloat"):
            for size in SQUARES:
                against(transform, size, threads, 0.8, 1.5)
            for size in SMALL + ODD:
                against(transform, size, threads, 1.0)
        for transform in ("Triangular", "Symmetric", "Solve"):
            for n in (256, 1024):
                against(transform, (n, n, n), threads, 0.7)
