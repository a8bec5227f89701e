# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Poisson's equation to seven digits on 2049 x 2049 points, boundary included: the standard library, tuned, against cycles that are written by hand in C++, and, on 513 x 513 points,
where it ends in seconds, against over-relaxation of the library."""
from pathlib import Path
from samples import call, compared, in_turns, seconds

HERE = Path(__file__).resolve().parent


def tuned(tools, n, transform, budget):
    """The program and its configuration for this size, on one thread."""
    program, configuration = tools.work / f"{transform}{n}", tools.work / f"{transform}{n}.cfg"
    call(tools.pbc, HERE / "multigrid.pbcc", f"--main={transform}", "-o", program)
    call(tools.pbc, "tune", program, f"--n={n}", f"--budget={budget}", "--threads=1", "--report=none", f"--output={configuration}", timeout=400)
    return lambda: seconds(program, f"--config={configuration}", "--time", "--trials=3", "--threads=1", f"--n={n}")


def measure(tools):
    peer = tools.work / "peer"
    call("g++", "-std=c++20", "-O3", "-march=native", "-ffast-math", HERE / "peer.cpp", "-o", peer)
    cycles = tuned(tools, 2047, "Multigrid", 90)
    compared("multigrid: 2049 x 2049 points to 7 digits, 1 thread, against cycles in C++", *in_turns(tools.rounds, cycles, lambda: seconds(peer, 2047, 7, 3)), 1.5, against="hand-written C++")
    cycles, relaxed = tuned(tools, 511, "Multigrid", 30), tuned(tools, 511, "Relaxed", 40)
    compared("multigrid: 513 x 513 points to 7 digits, 1 thread, against over-relaxation", *in_turns(3, cycles, relaxed), round(1 / 3, 3), against="RedBlackSweeps")
