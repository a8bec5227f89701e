# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prefix sums against memcpy; sorting, tuned, against oneTBB's parallel_sort."""
from pathlib import Path
from peers import c_library
from samples import ROOT, Limits, call, compared, in_turns, seconds

HERE = Path(__file__).resolve().parent


def measure(tools):
    prefix, peer = tools.work / "prefix", tools.work / "copy"
    call(tools.pbc, HERE / "prefix.pbcc", "-o", prefix)
    tbb = tools.peers.tbb()
    if not tbb:
        print("  scan: oneTBB is not there: bench/install-peers fetches it", flush=True)
        return
    call("g++", "-std=c++20", "-O3", "-march=native", f"-I{tbb.library / 'include'}", HERE / "copy.cpp", f"-L{tbb.library / 'lib'}", "-l:libtbb.so.12", "-o", peer)
    environment = tbb.environment(1)
    limits = Limits(tools)
    n = 1 << 26
    for threads in (1, 2):
        samples = in_turns(tools.rounds, lambda: seconds(prefix, "--noconfig", "--time", "--trials=3", f"--n={n}", f"--threads={threads}"),
                           lambda: seconds(peer, "copy", n, 1, env=environment))
        compared(f"scan: {n} prefix sums, {threads} thread{'s'[: threads > 1]}, against memcpy on one", *samples, 1.25,
                 lambda seconds: limits.share(seconds, threads, 2 * 8 * n), c_library())
    n = 1 << 24
    for threads in (1, 2):
        sort = tools.work / f"sort{threads}"
        call(tools.pbc, ROOT / "samples" / "sort.pbcc", "-o", sort)
        call(tools.pbc, "tune", sort, f"--n={n}", "--budget=60", f"--threads={threads}", timeout=400)
        samples = in_turns(tools.rounds, lambda: seconds(sort, "--time", "--trials=3", f"--n={n}", f"--threads={threads}"),
                           lambda: seconds(peer, "sort", n, threads, env=environment))
        compared(f"scan: {n} doubles sorted, {threads} thread{'s'[: threads > 1]}, against parallel_sort", *samples, round(1 / 1.2, 3), against=tbb)
