#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A device that reports success and writes something else: wrong.py PBC.

Nothing tells a program so while it runs. `--check` must name each alternative that runs there, and no other; the tuner must
reject each of them, with the difference, and leave the steps on the processor."""
import os, re, subprocess, sys, tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PBC = os.path.abspath(sys.argv[1])
PLACES = ["twice", "near", "ends", "less"]

def run(command, fault):
    return subprocess.run(command, capture_output=True, text=True, timeout=100,
                          env={**os.environ, "PB_FAKE_DEVICE": fault, "PB_DEVICES": "fake"})

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ.setdefault("PB_KERNEL_CACHE", folder)
    subprocess.run([PBC, HERE / "chain.pbcc", "-o", "chain"], check=True, timeout=100)

    right = run(["./chain", "--check", "--n=100"], "1")
    assert right.returncode == 0 and "disagrees" not in right.stdout and right.stdout.count("gpu agrees") == 4, right
    wrong = run(["./chain", "--check", "--n=100"], "fail=wrong:1+")
    assert wrong.returncode == 1, wrong
    for place in PLACES:
        assert f"place_{place}: gpu disagrees (max difference " in wrong.stdout, (place, wrong.stdout)
        assert f"place_{place}: cpu agrees" in wrong.stdout, (place, wrong.stdout)
    tuned = run([PBC, "tune", "./chain", "--n=20000", "--effort=instant", "--trials=25", "--report=none", "-o", "chain.cfg"],
                "fail=wrong:1+")
    assert tuned.returncode == 0, tuned
    for place in PLACES:
        assert re.search(rf"place_{place} with gpu at .* gives a different result from the default \(difference ", tuned.stdout), tuned
    found = Path("chain.cfg").read_text()
    assert all(re.search(rf'place_{place} = .*"cpu"', found) for place in PLACES) and '"gpu' not in found, found
    print("wrong: found by --check and by the tuner")
