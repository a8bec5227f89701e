#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/results PBC on one benchmark and one profile: the page, its data, and a second run that measures nothing."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
pbc = sys.argv[1]


def results(folder, *options):
    return subprocess.run([ROOT / "scripts" / "results", "--quick", "--only=black_scholes", "--profiles=one_thread", f"--pbc={pbc}", f"--work={folder}/work",
                           f"--output={folder}/page", *options], capture_output=True, text=True)


def check(condition, what):
    if not condition:
        sys.exit(f"whole.py: {what}")


with tempfile.TemporaryDirectory() as folder:
    r = results(folder, "--minutes=1e-9")
    check(r.returncode == 3 and "the time is over before tune/black_scholes/one_thread" in r.stderr, f"no time: {r.returncode} {r.stderr}")
    data = json.loads(Path(folder, "page", "results.json").read_text())
    check(not data["complete"] and data["benchmarks"][0]["tuned"] == {}, "an incomplete run has its page")

    r = results(folder)
    check(r.returncode == 0 and "3 experiments made, 0 known before" in r.stdout, f"first: {r.returncode} {r.stdout}{r.stderr}")
    data = json.loads(Path(folder, "page", "results.json").read_text())
    sort = data["benchmarks"][0]
    check(data["complete"] and sort["tuned"]["one_thread"]["tuned_seconds"] > 0, "what was tuned")
    check(sort["cross"]["one_thread"]["one_thread"] > 0 and sort["cross"]["one_thread"]["default"] > 0, "both configurations ran")
    check(all(row["seconds"] > 0 and row["rival"]["seconds"] > 0 for row in sort["sizes"]["one_thread"]), "all sizes ran beside the loops")
    check("| Black-Scholes | one_thread |" in Path(folder, "page", "index.md").read_text(), "the page has its rows")

    r = results(folder)
    check(r.returncode == 0 and "0 experiments made, 3 known before" in r.stdout, f"again: {r.stdout}{r.stderr}")
    r = results(folder, "--profiles=two_threads")
    check(r.returncode == 2 and "no profile 'two_threads': there are one_thread" in r.stderr, f"unknown: {r.returncode} {r.stderr}")
