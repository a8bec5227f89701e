# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Data-parallel loops against the same loop nests in C++."""
from pathlib import Path
from peers import compiler
from samples import Limits, call, compared, in_turns, seconds

HERE = Path(__file__).resolve().parent


def measure(tools):
    program, by_hand = tools.work / "loops", tools.work / "by_hand"
    call(tools.pbc, HERE / "loops.pbcc", "-o", program)
    call("clang++-19", "-std=c++20", "-O3", "-march=native", "-pthread", HERE / "by_hand.cpp", "-o", by_hand)
    limits = Limits(tools)
    kernels = {"VectorAdd": 1.2, "Convolution3x3": 1.2, "SevenTap": 1.2, "AnyTap": None, "FivePoint": 1.2,
               "MatrixProduct": None}
    # In the cache: 512 KiB a matrix, 100 times per call. In memory: 128 MiB.
    for place, w, h in (("in cache", 512, 128), ("in memory", 4096, 4096)):
        for kernel, bar in kernels.items():
            if kernel == "MatrixProduct":
                if place == "in memory":
                    continue
                name, w_, h_ = kernel, 512, 512
            else:
                name, w_, h_ = kernel + ("Often" if place == "in cache" else ""), w, h
            sizes = {"VectorAdd": [f"n={w_ * h_}"], "MatrixProduct": [f"c={w_}", f"w={w_}", f"h={w_}"],
                     "AnyTap": [f"w={w_}", f"h={h_}", "taps=7"]}.get(kernel, [f"w={w_}", f"h={h_}"])
            for threads in (1, 2):
                ours = [program, "--noconfig", f"--transform={name}", "--time", f"--threads={threads}"]
                ours += [f"--size={s}" for s in sizes]
                peer = [by_hand, name, w_, h_, threads]
                samples = in_turns(tools.rounds, lambda: seconds(*ours), lambda: seconds(*peer))
                compared(f"loops: {kernel}, {place}, {threads} thread{'s'[: threads > 1]}", *samples, bar,
                         (lambda seconds: limits.share(seconds, threads, (3 if kernel == "VectorAdd" else 2) * 8 * w * h)) if place == "in memory" else None,
                         compiler("clang++-19"))
