#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pbc explain says `fast` would bring: fast_gain.py PBC

Five spellings of a sum of which each term waits for the one before; and sums that are in any order already, or that no other order makes faster.
"""
import json
import subprocess
import sys
import tempfile

PBC = sys.argv[1]

SLOW = {
    "body": "S.cell(y) from(A.row(y) a) { double s = 0; for (int x = 0; x < w; ++x) s += a.cell(x) * a.cell(x); return s; }",
    "whole matrix": "to(S s) from(A a) { for (int y = 0; y < h; ++y) { double t = 0; for (int x = 0; x < w; ++x) t = t + a.cell(x, y); s.cell(y) = t; } }",
    "cells": "to(S s) from(A a) { for (int y = 0; y < h; ++y) { s.cell(y) = 0; for (int x = 0; x < w; ++x) s.cell(y) += a.cell(x, y); } }",
    "product": "to(S s) from(A a) { for (int y = 0; y < h; ++y) { double t = 1; for (int x = 0; x < w; ++x) t *= a.cell(x, y); s.cell(y) = t; } }",
    "difference": "to(S s) from(A a) { for (int y = 0; y < h; ++y) { double t = 0; for (int x = 0; x < w; ++x) t -= a.cell(x, y) * a.cell(x, 0); s.cell(y) = t; } }",
}
FREE = {
    "fast": "fast to(S s) from(A a) { for (int y = 0; y < h; ++y) { double t = 0; for (int x = 0; x < w; ++x) t += a.cell(x, y); s.cell(y) = t; } }",
    "no sum": "to(S s) from(A a) { for (int y = 0; y < h; ++y) s.cell(y) = a.cell(0, y); }",
    "maximum": "to(S s) from(A a) { for (int y = 0; y < h; ++y) { double t = 0; for (int x = 0; x < w; ++x) t = a.cell(x, y) > t ? a.cell(x, y) : t; s.cell(y) = t; } }",
    "column": "to(S s) from(A a) { for (int y = 0; y < h; ++y) s.cell(y) = 0; for (int x = 0; x < w; ++x) for (int y = 0; y < h; ++y) s.cell(y) += a.cell(y, x); }",
}


def said(rule, *words):
    with open("p.pbcc", "w") as file:
        file.write("main transform P from A[w, h] to S[h] {\n  " + rule + "\n}\n")
    done = subprocess.run([PBC, "explain", "p.pbcc", *words], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def line(text):
    return next((one for one in text.splitlines() if "`fast` in front of the rule" in one), "")


def main():
    for name, rule in SLOW.items():
        plain = line(said(rule))
        assert "lets its sums be computed in another order: predicted" in plain and "all sizes 1000" in plain, (name, said(rule))
    for name, rule in FREE.items():
        assert line(said(rule)) == "", (name, said(rule))
    rule = SLOW["whole matrix"]
    gain = json.loads(said(rule, "--json"))["transforms"][0]["alternatives"][0]["steps"][0]["fast"]
    assert gain["times_as_fast"] >= 1.25 and abs(gain["seconds_in_order"] / gain["seconds"] - gain["times_as_fast"]) < 1e-9, gain
    sized = line(said(rule, "--n=300", "--machine=epyc7001"))
    assert sized.endswith("on AMD EPYC (family 23, model 1), n = 300"), sized
    print("ok")


with tempfile.TemporaryDirectory() as folder:
    import os
    os.chdir(folder)
    main()
