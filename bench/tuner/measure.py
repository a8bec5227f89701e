# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Strategies of `pbc tune` on formulas with a known optimum and on recorded spaces; nothing of the machine counts.

bench/tuner/record.sh makes the files in spaces/; `bench_tuner` alone (compare.cpp) prints all figures.
"""
import json
import math
from pathlib import Path
from samples import ROOT, call, row

HERE = Path(__file__).resolve().parent
MEMBERS = ("evolutionary", "local", "bayesian", "random")
SEEDS, PART = 40, 0.05


def figures(program, *words):
    text = call(program, "json", *words)
    rows = {}
    for r in json.loads(text[text.index("["):]):
        rows.setdefault((r["problem"], r["budget"]), {})[r["strategy"]] = r
    return rows


def against_members(name, rows):
    """The geometric mean over all problems, of time / best known."""
    mean = {s: math.exp(sum(math.log(p[s]["mean"]) for p in rows.values()) / len(rows)) for s in ("ensemble", *MEMBERS)}
    best = min(MEMBERS, key=mean.get)
    ratio = mean["ensemble"] / mean[best]
    row(f"tuner: ensemble against its best member, {name}", f"{mean['ensemble']:.3f} of the best", f"{best} {mean[best]:.3f}",
        f"{ratio:.3f}", "<= 1.05", ratio <= 1.05)


def measure(tools):
    call("cmake", "--build", tools.build, "--target", "bench_tuner")
    program = tools.build / "bin" / "bench_tuner"
    for (problem, _), strategies in figures(program, "synthetic", 200, "evolutionary").items():
        found = strategies["evolutionary"]
        row(f"tuner: {problem}, 200 seeds", f"{found['optimum']:.1%} find it", f"{found['trials']:.0f} trials", "-", ">= 95 %",
            found["optimum"] >= 0.95)
    spaces = sorted((HERE / "spaces").glob("*.json"))
    recorded = figures(program, "recorded", PART, SEEDS, *spaces, "--", "auto", "ensemble", *MEMBERS)
    for (problem, budget), strategies in recorded.items():
        default, auto = strategies.pop("(default)"), strategies["auto"]
        best = min(strategies, key=lambda s: strategies[s]["mean"])
        row(f"tuner: {problem}, {budget} trials", f"{auto['mean']:.3f} of the best", f"{best} {strategies[best]['mean']:.3f}",
            f"default {default['mean']:.3g}", "<= 1.05", auto["mean"] <= 1.05)
    against_members("recorded spaces", recorded)
    against_members("few trials and crashes", figures(program, "small", SEEDS, "ensemble", *MEMBERS))
    slowest = max(r["milliseconds_per_trial"] for p in recorded.values() for r in p.values())
    row("tuner: what a proposal costs, at most", f"{slowest:.2f} ms", "-", "-", "<= 5 ms", slowest <= 5)
