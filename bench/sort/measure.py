# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The tuned sort against std::sort."""
from pathlib import Path
from samples import ROOT, call, compared, in_turns, seconds

HERE = Path(__file__).resolve().parent


def measure(tools):
    n = 1 << 22
    peer = tools.work / "std_sort"
    call("clang++-19", "-std=c++20", "-O3", "-march=native", HERE / "std_sort.cpp", "-o", peer)
    programs = {}
    for threads in (1, 2):
        programs[threads] = tools.work / f"sort{threads}"
        call(tools.pbc, ROOT / "samples" / "sort.pbcc", "-o", programs[threads])
        call(tools.pbc, "tune", programs[threads], f"--n={n}", "--budget=40", f"--threads={threads}", timeout=400)
    ours = [lambda p=programs[t], t=t: seconds(p, "--time", f"--n={n}", f"--threads={t}") for t in (1, 2)]
    one, two, std = in_turns(tools.rounds, *ours, lambda: seconds(peer, n))
    compared(f"sort: {n} doubles, tuned, 1 thread, against std::sort", one, std, 1.0)
    compared(f"sort: {n} doubles, tuned, 2 threads, against std::sort", two, std, round(1 / 1.6, 3))
