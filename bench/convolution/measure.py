# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Convolutions of an image of 8 megapixels against Halide, auto-scheduled, and OpenCV."""
import os
from pathlib import Path
from samples import Limits, call, compared, in_turns, seconds

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT = 3840, 2160
HALIDE = "/usr/lib/x86_64-linux-gnu/halide14"  # Debian's libhalide14-0: where its auto-schedulers are


def measure(tools):
    os.environ["LD_LIBRARY_PATH"] = HALIDE
    program, halide, opencv = (tools.work / name for name in ("convolution", "halide", "opencv"))
    call(tools.pbc, HERE / "convolution.pbcc", "-o", program)
    call("clang++-19", "-std=c++17", "-O2", "-I/usr/include/halide14", HERE / "halide.cpp", "-o", halide, "-lHalide14", "-ldl", "-pthread")
    call("clang++-19", "-std=c++17", "-O2", "-I/usr/include/opencv4", HERE / "opencv.cpp", "-o", opencv, "-lopencv_imgproc", "-lopencv_core")
    limits = Limits(tools)
    whole = tools.work / "whole.cfg"
    whole.write_text("".join(f'["SeparableOf<{k}>"]\ntile_bytes = 1\n' for k in (3, 7, 17)))
    for kind in ("Separable", "Direct"):
        for k in (3, 7, 17):
            for threads in (1, 2):
                size = [f"--size=w={WIDTH}", f"--size=h={HEIGHT}"]
                ours = [program, "--noconfig", "--time", f"--threads={threads}", *size]
                peer = [kind, k, WIDTH, HEIGHT, threads]
                env = dict(os.environ, HL_NUM_THREADS=str(threads))
                def share(seconds):
                    products = 2 * k if kind == "Separable" else k * k
                    return limits.share(seconds, threads, 2 * 4 * WIDTH * HEIGHT, 2 * products * WIDTH * HEIGHT, "float")
                known, given, by_halide, by_opencv = in_turns(
                    tools.rounds, lambda: seconds(*ours, f"--transform={kind}Of<{k}>"),
                    lambda: seconds(*ours, f"--transform={kind}", f"--size=k={k}"),
                    lambda: seconds(halide, *peer, env=env), lambda: seconds(opencv, *peer))
                what = f"convolution: {kind.lower()} {k}, {threads} thread{'s'[: threads > 1]}"
                compared(f"{what}, against Halide", known, by_halide, 1.0, share)
                compared(f"{what}, against OpenCV", known, by_opencv, 1.0, share)
                if kind == "Separable":
                    tiles, matrix = in_turns(tools.rounds, lambda: seconds(*ours, f"--transform={kind}Of<{k}>"), lambda: seconds(
                        program, f"--config={whole}", *ours[2:], f"--transform={kind}Of<{k}>"))
                    compared(f"{what}, the first pass in tiles, against a whole matrix", tiles, matrix)
                compared(f"{what}, size of the kernel from the input, against Halide", given, by_halide)
