#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans by teams of items against the processor, bit for bit: scans.py PBC.

Whole numbers, and the largest value so far, so that the order does not matter; long and short ones, in one part and in several, by teams
of whole warps and of less, along rows and down columns. DEVICE=opencl runs the same on PoCL.
"""
import os, random, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
PROGRAM = """
transform Sums from A[n] : int to S[n] : int
{ rule step S.cell(i) from(S.cell(i - 1) s = 5, A.cell(i) a) { return s + a; } }
transform Highest from A[n] : float to S[n] : float
{ fast rule step S.cell(i) from(S.cell(i - 1) s = -1000, A.cell(i) a) { return fmax(s, a); } }
transform Squares from A[n] : int, B[n] : int to S[n] : int
{ rule step S.cell(i) from(S.cell(i - 1) s = 0, A.cell(i) a, B.cell(i) b) { const int v = a > b ? a - b : b - a; return s + v * v; } }
transform Rows from A[n, m] : int to S[n, m] : int
{ rule step S.cell(x, y) from(S.cell(x - 1, y) s = 0, A.cell(x, y) a) { return s + a; } }
transform Columns from A[m, n] : int to S[m, n] : int
{ rule step S.cell(x, y) from(S.cell(x, y - 1) s = 0, A.cell(x, y) a) { return s ^ a; } }
"""
DEVICE = os.environ.get("DEVICE", "fake")
failed, count = [], 0
numbers = random.Random(7)

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("p.pbcc", "w") as f:
        f.write(PROGRAM)
    subprocess.run([PBC, "p.pbcc", "-o", "p"], check=True)
    for name in ("Sums", "Highest", "Squares", "Rows", "Columns"):
        for n in (1, 2, 31, 300, 2500, 9001):
            words = ["./p", "--config=p.toml", f"--transform={name}", f"--size=n={n}", f"--size=m={numbers.choice((1, 3, 70))}", "--n=1", "--hash"]
            right = None
            for place in ("cpu", "gpu_group", "gpu_group", "gpu_group"):
                group = numbers.choice((4, 8, 32, 64, 256))
                team, parts = numbers.choice((1, 4, 8, 16, 256)), numbers.choice((0, 0, 1, 3, 7))
                lines = [f"[{name}]", "sequential_cutoff = 0", f'place_step = "{place}"']
                if place != "cpu":
                    lines += [f"group_x_step = {group}", f"team_step = {min(team, group)}", f"parts_step = {parts}"]
                with open("p.toml", "w") as f:
                    f.write("\n".join(lines) + "\n")
                done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PB_DEVICES": DEVICE}, timeout=100)
                got = done.stdout + done.stderr
                right = right or got
                count += 1
                if got != right:
                    failed.append(f"{name}, n = {n}, {', '.join(lines[2:])}: {got}")
print("\n".join(failed) or f"{count} runs compute the same")
sys.exit(bool(failed))
