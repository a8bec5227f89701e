# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Launches through pbc's runtime against an OpenCL host program by hand, on the first OpenCL device (PoCL here)."""
import os
import statistics
from pathlib import Path
from samples import call, compared, in_turns, row, seconds, shown, verdict

HERE = Path(__file__).resolve().parent
CONFIGURATION = """[One]
sequential_cutoff = 0
place_step = "gpu"
group_x_step = 64

[Chain]
sequential_cutoff = 0
place_start = "gpu"
place_step = "gpu"
place_last = "gpu"
group_x_start = 64
group_x_step = 64
group_x_last = 64
"""


def wavefront(tools, device):
    """Smith-Waterman: a launch for each diagonal of tiles, against one for each diagonal of points."""
    program, step = tools.work / "smith_waterman_on_device", "rule0"
    call(tools.pbc, HERE.parent / "wavefront" / "smith_waterman.pbcc", "-o", program)

    def run(place, n):
        config = tools.work / f"{place}.toml"
        config.write_text(f'[SmithWaterman]\nplace_rule1 = "gpu"\nplace_rule2 = "gpu"\nplace_{step} = "{place}"\n')
        return seconds(program, f"--config={config}", f"--devices={device}", "--time", "--trials=3", f"--n={n}")

    for n in (2048, 4096):
        samples = in_turns(tools.rounds, lambda: run("gpu_tiles", n), lambda: run("gpu", n))
        compared(f"device: Smith-Waterman {n} in tiles, against diagonals", *samples, 1.0)


def measure(tools):
    program, by_hand, config = tools.work / "steps", tools.work / "steps_by_hand", tools.work / "steps.toml"
    call(tools.pbc, HERE / "steps.pbcc", "-o", program)
    call("clang++-19", "-std=c++20", "-O3", HERE / "by_hand.cpp", "-o", by_hand, "-l:libOpenCL.so.1")
    config.write_text(CONFIGURATION)
    device = os.environ.get("DEVICE", "opencl:0")

    def pair(transform, n):
        ours = [program, f"--config={config}", f"--devices={device}", f"--transform={transform}", "--time", f"--n={n}"]
        return in_turns(tools.rounds, lambda: seconds(*ours), lambda: seconds(by_hand, transform.lower(), n))

    for n in (1 << 16, 1 << 20):
        compared(f"device: one launch, {n} numbers", *pair("One", n), 1.05)
    for n in (1 << 14, 1 << 18):
        compared(f"device: 100 launches, {n} numbers", *pair("Chain", n), 1.05)
    wavefront(tools, device)
    ours, peer = pair("Chain", 64)
    more = [(statistics.median(x) - statistics.median(y)) / 102 for x, y in [(ours, peer)]][0]
    best = (min(ours) - min(peer)) / 102
    row("device: a launch, next to nothing computed", shown(statistics.median(ours) / 102),
        shown(statistics.median(peer) / 102), f"{more * 1e6:+.1f} us ({best * 1e6:+.1f})", "< 10 us more",
        verdict(more < 10e-6, best < 10e-6))
