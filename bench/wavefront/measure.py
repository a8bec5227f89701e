# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Smith-Waterman against tiles by hand."""
import os
from pathlib import Path
from peers import compiler
from samples import call, compared, in_turns, seconds

HERE = Path(__file__).resolve().parent
N = 20000


def measure(tools):
    ours, tiled = tools.work / "smith_waterman", tools.work / "tiled"
    call(tools.pbc, HERE / "smith_waterman.pbcc", "-o", ours)
    call("g++", "-std=c++20", "-O3", "-march=native", "-fopenmp", HERE / "tiled.cpp", "-o", tiled)
    for threads in (1, 2):
        env = dict(os.environ, OMP_NUM_THREADS=str(threads))
        samples = in_turns(tools.rounds,
                           lambda: seconds(ours, "--noconfig", "--time", "--trials=3", f"--threads={threads}", f"--n={N}"),
                           lambda: seconds(tiled, N, N, env=env))
        compared(f"wavefront: Smith-Waterman {N}, {threads} thread{'s'[: threads > 1]}", *samples, 1.0, against=compiler("g++"))
