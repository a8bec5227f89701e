# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A product with a BLAS among its choices, tuned, against that BLAS: the fastest that is there."""
from peers import best_of, judged
from samples import ROOT, Limits, call, compared, in_turns, seconds


def measure(tools):
    blas, program = tools.work / "blas", tools.work / "library"
    call("clang++-19", "-std=c++20", "-O3", "-march=native", ROOT / "bench" / "dense" / "blas.cpp", "-o", blas, "-ldl")
    libraries = tools.peers.blas()
    if not libraries:
        print("  library: no BLAS is there: bench/install-peers fetches three", flush=True)
        return

    def by_library(library, n, threads):
        return seconds(blas, library.library, library.prefix, "Product", n, n, n, env=library.environment(threads))

    limits = Limits(tools)
    thousand = {library: [by_library(library, 1024, 1) for _ in range(3)] for library in libraries}
    best = best_of(thousand)
    remark = judged(blas, best, limits)
    folder, name = best.library.parent, best.library.name
    link = tools.work / f"lib{name.removeprefix('lib').split('.so')[0]}.so"  # the name without a version
    link.symlink_to(best.library)
    call(tools.pbc, ROOT / "bench" / "library" / "product.pbcc", "-o", program, f"-L{tools.work}", f"-l{link.stem.removeprefix('lib')}",
         *([f"-DPREFIX={best.prefix}"] if best.prefix != "-" else []), env=best.environment(1))
    for threads in (1, 2):
        environment = best.environment(threads)
        environment["LD_LIBRARY_PATH"] = f"{folder}:{tools.work}:" + environment.get("LD_LIBRARY_PATH", "")
        for n in (256, 1024):
            # One configuration a size: what the tuner found for the others does not matter here.
            configuration = tools.work / f"library_{n}_{threads}.cfg"
            call(tools.pbc, "tune", program, f"--n={n}", "--budget=10", f"--threads={threads}", f"--output={configuration}", timeout=200, env=environment)
            ours = [program, f"--config={configuration}", "--time", f"--n={n}", f"--threads={threads}"]
            samples = in_turns(tools.rounds, lambda: seconds(*ours, env=environment), lambda: by_library(best, n, threads))
            compared(f"library: tuned product {n}, {threads} thread{'s'[: threads > 1]}", *samples, 1.0,
                     lambda seconds: limits.share(seconds, threads, operations=2 * n**3), best, remark)
