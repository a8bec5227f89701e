#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the plots of scripts/results: plots.py results.json FOLDER. Needs matplotlib, which bench/install-peers installs for it."""
import json
import sys
from pathlib import Path
import matplotlib
matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "pbc", "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3})
from matplotlib import pyplot  # noqa: E402, after the backend is chosen


def save(figure, file):
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
    pyplot.close(figure)


def cross(data, folder):
    """Bars of Fig. 7: for each benchmark and profile, the times of all configurations over the native one."""
    rows = [(b, p) for b in data["benchmarks"] for p in data["profiles"] if b["cross"].get(p["name"], {}).get(p["name"])]
    if not rows:
        return
    names = [p["name"] for p in data["profiles"]] + ["default", "device_only"]
    figure, axes = pyplot.subplots(figsize=(10, 0.34 * len(rows) * 1.6 + 1))
    height = 0.8 / len(names)
    for k, name in enumerate(names):
        at, ratios = [], []
        for y, (b, p) in enumerate(rows):
            times = b["cross"][p["name"]]
            if name in times:
                at.append(y + k * height)
                ratios.append((times[name] or data["patience"]) / times[p["name"]])
        axes.barh(at, ratios, height, label=f"configuration {name}")
    axes.set_yticks([y + 0.4 for y in range(len(rows))], [f"{b['title']} on {p['name']}" for b, p in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("time over that of the native configuration")
    axes.legend(fontsize=8)
    save(figure, folder / "cross.svg")


def widths(data, folder):
    """Fig. 2: times of the mappings by the width of the kernel, with what the tuner chose."""
    for profile, found in data["widths"].items():
        figure, axes = pyplot.subplots(figsize=(7, 4))
        for name in found[0]["forced"]:
            known = [(r["width"], r["forced"][name]) for r in found if r["forced"][name]]
            axes.plot(*zip(*known), marker="o", markersize=3, label=name) if known else None
        axes.plot([r["width"] for r in found], [r["tuned"] for r in found], "k--", label="tuned")
        axes.set_xlabel("width of the kernel")
        axes.set_ylabel("seconds")
        axes.set_yscale("log")
        axes.legend(fontsize=8)
        save(figure, folder / f"widths_{profile}.svg")


def sizes(data, folder):
    """For each benchmark with rivals, the ratio of the tuned program and the fastest rival by size."""
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for b in data["benchmarks"]:
        for profile, rows in b["sizes"].items():
            known = [(k, r["seconds"] / r["rival"]["seconds"]) for k, r in enumerate(rows) if r["rival"] and r["seconds"]]
            if known and profile == data["profiles"][-1 if len(data["profiles"]) < 2 else 1]["name"]:
                axes.plot(*zip(*known), marker="o", markersize=3, label=b["title"])
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xlabel("sizes, ascending")
    axes.set_ylabel("tuned over the fastest rival")
    axes.legend(fontsize=8)
    save(figure, folder / "sizes.svg")


def main():
    data, folder = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    for draw in (cross, widths, sizes):
        draw(data, folder)


main()
