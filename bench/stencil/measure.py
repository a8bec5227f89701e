# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Heat in time against plain OpenMP loops, Polly and Halide."""
import os
from pathlib import Path
from peers import compiler
from samples import Limits, call, compared, in_turns, seconds

HERE = Path(__file__).resolve().parent
KERNELS = {"FivePoint": (5, (5120, 5120, 1), 3), "NinePoint": (9, (5120, 5120, 1), 3), "SevenPoint": (7, (300, 300, 300), 1.8)}
OPERATIONS = {"FivePoint": 7, "NinePoint": 11, "SevenPoint": 9}  # of a cell in a step


def measure(tools):
    ours, loops, halide = (tools.work / name for name in ("heat", "loops", "halide"))
    call(tools.pbc, HERE / "heat.pbcc", "-o", ours)
    call("g++", "-std=c++20", "-O3", "-march=native", "-fopenmp", HERE / "loops.cpp", "-o", loops)
    limits = Limits(tools)
    halide_peer = tools.peers.halide()
    if halide_peer:
        call("g++", "-std=c++17", "-O2", f"-I{halide_peer.library / 'include'}", HERE / "halide.cpp", f"-L{halide_peer.library / 'lib64'}", "-lHalide", "-ldl", "-pthread", "-o", halide)
    versions = {"OpenMP loops": f"OpenMP loops, {compiler('g++')}", "Polly": f"Polly, {compiler('clang-19')}", "Halide": str(halide_peer)}
    for kernel, (points, size, bar) in KERNELS.items():
        w, h, d = size
        for threads in (1, 2):
            polly = tools.work / f"polly{points}_{threads}"
            parallel = ["-mllvm", "-polly-parallel", "-lgomp"] if threads > 1 else []
            call("clang-19", "-O3", "-march=native", "-mcmodel=large", "-mllvm", "-polly", *parallel, f"-DKERNEL={points}",
                 f"-DW={w}", f"-DH={h}", f"-DD={d}", HERE / "polly.c", "-o", polly)
            env = dict(os.environ, OMP_NUM_THREADS=str(threads))

            def timed(*command, env=env):
                return lambda: seconds(*command, env=env)
            sizes = [f"--size=w={w}", f"--size=h={h}"] + ([f"--size=d={d}"] if d > 1 else [])
            all = {"ours": timed(ours, "--noconfig", f"--transform={kernel}", "--time", "--trials=3", f"--threads={threads}", *sizes),
                   "OpenMP loops": timed(loops, kernel, w, h, d), "Polly": timed(polly)}
            if halide_peer:
                all["Halide"] = timed(halide, kernel, w, h, d, env=halide_peer.environment(threads))
            def share(seconds):  # as if each of the 100 steps read and wrote everything
                return limits.share(seconds, threads, 100 * 2 * 8 * w * h * d, 100 * OPERATIONS[kernel] * w * h * d)
            mine, *others = in_turns(tools.rounds, *all.values())
            for peer, theirs in zip(list(all)[1:], others):
                compared(f"stencil: {kernel}, {threads} thread{'s'[: threads > 1]}, against {peer}", mine, theirs,
                         round(1 / (bar if peer == "OpenMP loops" else 1.5), 3), share, versions[peer])
