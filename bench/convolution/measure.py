# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Convolutions of an image of 8 megapixels against Halide, auto-scheduled, and OpenCV."""
import subprocess
from pathlib import Path
from peers import Peer
from samples import Limits, call, compared, in_turns, seconds

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT = 3840, 2160


def opencv_here():
    version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libopencv-imgproc-dev"], capture_output=True, text=True)
    return Peer("OpenCV", version.stdout.split("+")[0]) if version.returncode == 0 and version.stdout else None


def measure(tools):
    program, halide, opencv = (tools.work / name for name in ("convolution", "halide", "opencv"))
    call(tools.pbc, HERE / "convolution.pbcc", "-o", program)
    halide_peer, opencv_peer = tools.peers.halide(), opencv_here()
    if halide_peer:
        call("clang++-19", "-std=c++17", "-O2", f"-I{halide_peer.library / 'include'}", HERE / "halide.cpp", "-o", halide, f"-L{halide_peer.library / 'lib64'}", "-lHalide", "-ldl", "-pthread")
    if opencv_peer:
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
                def share(seconds):
                    products = 2 * k if kind == "Separable" else k * k
                    return limits.share(seconds, threads, 2 * 4 * WIDTH * HEIGHT, 2 * products * WIDTH * HEIGHT, "float")
                runs = {}
                if halide_peer:
                    runs[halide_peer] = lambda: seconds(halide, *peer, env=halide_peer.environment(threads))
                if opencv_peer:
                    runs[opencv_peer] = lambda: seconds(opencv, *peer)
                known, given, *theirs = in_turns(
                    tools.rounds, lambda: seconds(*ours, f"--transform={kind}Of<{k}>"),
                    lambda: seconds(*ours, f"--transform={kind}", f"--size=k={k}"), *runs.values())
                what = f"convolution: {kind.lower()} {k}, {threads} thread{'s'[: threads > 1]}"
                for rival, samples in zip(runs, theirs):
                    compared(what, known, samples, 1.0, share, rival)
                    if rival == halide_peer:
                        compared(f"{what}, size of the kernel from the input", given, samples, against=rival)
                if kind == "Separable":
                    tiles, matrix = in_turns(tools.rounds, lambda: seconds(*ours, f"--transform={kind}Of<{k}>"), lambda: seconds(
                        program, f"--config={whole}", *ours[2:], f"--transform={kind}Of<{k}>"))
                    compared(f"{what}, the first pass in tiles, against a whole matrix", tiles, matrix)
