# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Black and Scholes' formula for 5 million options against vectors by hand that call the same library."""
from pathlib import Path
from peers import c_library
from samples import Limits, call, compared, in_turns, seconds

HERE = Path(__file__).resolve().parent
OPTIONS = 5_000_000


def measure(tools):
    program, by_hand = tools.work / "black_scholes", tools.work / "by_hand"
    call(tools.pbc, HERE / "black_scholes.pbcc", "-o", program)
    call("clang++-19", "-std=c++20", "-O3", "-march=native", "-Wno-psabi", "-pthread", HERE / "black_scholes.cpp", "-o", by_hand, "-lm")
    limits = Limits(tools)
    for number in ("Double", "Float"):
        for threads in (1, 2):
            ours = [program, "--noconfig", f"--transform={number}", "--time", f"--threads={threads}", f"--n={OPTIONS}"]
            peer = [by_hand, number, OPTIONS, threads]
            samples = in_turns(tools.rounds, lambda: seconds(*ours), lambda: seconds(*peer))
            compared(f"math: Black-Scholes, {number.lower()}, {threads} thread{'s'[: threads > 1]}", *samples, 1.0,
                     lambda seconds: limits.share(seconds, threads, 5 * (8 if number == "Double" else 4) * OPTIONS),
                     f"by hand, {c_library()}")
