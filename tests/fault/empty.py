#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A device refuses a launch whose input has no cells, so that no storage has it: empty.py PBC.

The program computes it on the processor, says so and ends."""
import os, subprocess, sys, tempfile
from pathlib import Path

PBC = os.path.abspath(sys.argv[1])
PROGRAM = """main transform All
from A[w, h] : int
to S : long
{
  rule R S from(A a) { long s = 0; for (int j = 0; j < h; ++j) for (int i = 0; i < w; ++i) s += a.cell(i, j); return s; }
}
"""

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ.setdefault("PB_KERNEL_CACHE", folder)
    Path("all.pbcc").write_text(PROGRAM)
    subprocess.run([PBC, "all.pbcc", "-o", "all"], check=True, timeout=100)
    for place in ("gpu", "gpu_group"):
        Path("all.cfg").write_text(f'[All]\nsequential_cutoff = 0\nplace_R = "{place}"\n')
        for size in ("w=0,h=0", "w=5,h=0", "w=0,h=5", "w=2,h=3"):
            sizes = [word for one in size.split(",") for word in ("--size", one)]
            ended = subprocess.run(["./all", "--config=all.cfg", *sizes, "--hash"], capture_output=True, text=True, timeout=20,
                                   env={**os.environ, "PB_FAKE_DEVICE": "fail=launch:1", "PB_DEVICES": "fake"})
            assert ended.returncode == 0 and ended.stderr.count("R runs on the processor") == 1, (place, size, ended)
print("empty: every program ended")
