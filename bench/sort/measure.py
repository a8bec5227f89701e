# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The tuned sort against std::sort and Highway's vqsort, both on one thread."""
from pathlib import Path
from peers import compiler
from samples import ROOT, call, compared, in_turns, seconds

HERE = Path(__file__).resolve().parent


def measure(tools):
    n = 1 << 22
    peer, fast = tools.work / "std_sort", tools.work / "vqsort"
    call("clang++-19", "-std=c++20", "-O3", "-march=native", HERE / "std_sort.cpp", "-o", peer)
    vqsort = tools.peers.vqsort()
    runs = {f"std::sort, {compiler('g++')}": lambda: seconds(peer, n)}
    if vqsort:
        call("clang++-19", "-std=c++20", "-O3", "-march=native", f"-I{tools.peers.debian / 'include'}", HERE / "vqsort.cpp", "-o", fast,
             f"-L{vqsort.library.parent}", "-lhwy_contrib", "-lhwy")
        runs[str(vqsort)] = lambda: seconds(fast, n, env=vqsort.environment(1))
    programs = {}
    for threads in (1, 2):
        programs[threads] = tools.work / f"sort{threads}"
        call(tools.pbc, ROOT / "samples" / "sort.pbcc", "-o", programs[threads])
        call(tools.pbc, "tune", programs[threads], f"--n={n}", "--budget=40", f"--threads={threads}", timeout=400)
    ours = [lambda p=programs[t], t=t: seconds(p, "--time", f"--n={n}", f"--threads={t}") for t in (1, 2)]
    one, two, *theirs = in_turns(tools.rounds, *ours, *runs.values())
    for rival, samples in zip(runs, theirs):
        compared(f"sort: {n} doubles, tuned, 1 thread", one, samples, 1.0, against=rival)
        compared(f"sort: {n} doubles, tuned, 2 threads", two, samples, round(1 / 1.6, 3), against=rival)
