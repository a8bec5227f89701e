# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A product with OpenBLAS among its choices, tuned, against OpenBLAS."""
from samples import ROOT, call, compared, in_turns, seconds


def measure(tools):
    blas, program = tools.work / "blas", tools.work / "library"
    call("clang++-19", "-std=c++20", "-O3", "-march=native", ROOT / "bench" / "dense" / "blas.cpp", "-o", blas, "-lopenblas")
    call(tools.pbc, ROOT / "bench" / "library" / "product.pbcc", "-o", program, "-lopenblas")
    for threads in (1, 2):
        for n in (256, 1024):
            # One configuration a size: what the tuner found for the others does not matter here.
            configuration = tools.work / f"library_{n}_{threads}.cfg"
            call(tools.pbc, "tune", program, f"--n={n}", "--budget=10", f"--threads={threads}", f"--output={configuration}", timeout=200)
            ours = [program, f"--config={configuration}", "--time", f"--n={n}", f"--threads={threads}"]
            samples = in_turns(tools.rounds, lambda: seconds(*ours), lambda: seconds(blas, "Product", n, n, n, threads))
            compared(f"library: tuned product {n}, {threads} thread{'s'[: threads > 1]}, against OpenBLAS", *samples, 1.0)
