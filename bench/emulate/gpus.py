#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How near the predictions of `pbc emulate` for a GPU are to times that were measured on one: no GPU is needed.

    bench/emulate/gpus.py build/release/bin/pbc                              the file h200 that comes with pbc
    bench/emulate/gpus.py build/release/bin/pbc --machine=measured.toml --source=sass

The times are those of h200.json: for each transform and size, versions of its kernels and shapes of their groups (`registers_64x2_4x8`: version registers,
groups of 64 x 2 items of 4 x 8 points each). For each: predicted and measured time, and Kendall's tau between them over the versions; then the geometric
mean of the errors, and the median of tau. Times that differ by less than 5 % are not compared.
"""
import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess

from agreement import tau

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RULES = {"Separable": ("rows", "columns"), "bench/device/gpu.pbcc": ("point",), "stdlib/blas3.pbcc": ("Cells",)}


def points(transform, rule, n):
    if transform == "Separable":
        return [n - 8, n if rule == "rows" else n - 8]
    return [n] * (3 if transform == "Seven" else 2)


def words_of(name):
    """The version, and options for its shape."""
    version = {"gpu": "global"}.get(name, name.removeprefix("gpu_").split("_")[0])
    shape = re.fullmatch(r"\w+?_(\d+)x(\d+)_(\d+)x(\d+)", name)
    return version, [f"--group={shape[1]},{shape[2]}", f"--cells={shape[3]},{shape[4]}"] if shape else []


class Predictions:
    def __init__(self, pbc, words):
        self.pbc, self.words, self.known = pbc, words, {}

    def kernels(self, *words):
        if words not in self.known:
            done = subprocess.run([self.pbc, "emulate", *words, *self.words, "--json"], capture_output=True, text=True, timeout=240, cwd=ROOT, check=True)
            self.known[words] = {k["name"].split(", ")[1]: k for k in json.loads(done.stdout)["kernels"]}
        return self.known[words]

    def milliseconds(self, run, name):
        version, shape = words_of(name)
        all_of_it, limits = 0, []
        for rule in RULES.get(run["transform"], RULES[run["program"]]):
            at = ",".join(map(str, points(run["transform"], rule, run["n"])))
            kernel = self.kernels(run["program"], f"--kernel={run['transform']}.{rule}", f"--n={run['n']}", f"--points={at}", *shape).get(version, {})
            if "launch_seconds" not in kernel:
                return None, kernel.get("why", "")
            all_of_it += 1000 * kernel["launch_seconds"]
            limits.append(kernel["verdict"].removeprefix("limited by ").split(",")[0])
        return all_of_it, "; ".join(limits)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pbc")
    parser.add_argument("--machine", default="h200")
    parser.add_argument("--source", default="loops")
    parser.add_argument("--only", default="", help="transforms whose names begin with this")
    asked = parser.parse_args()
    machine = str(pathlib.Path(asked.machine).resolve()) if asked.machine.endswith(".toml") else asked.machine
    predictions = Predictions(pathlib.Path(asked.pbc).resolve(), [f"--machine={machine}", f"--source={asked.source}"])
    errors, taus = [], []
    print("| transform | n | version | predicted [ms] | measured [ms] | ratio | limited by |\n|---|---|---|---|---|---|---|")
    for run in json.loads((ROOT / "bench/emulate/h200.json").read_text())["runs"]:
        if not run["transform"].startswith(asked.only):
            continue
        rows = []
        for name, measured in run["ms"].items():
            predicted, limit = predictions.milliseconds(run, name)
            if predicted is None:
                print(f"| {run['transform']} | {run['n']} | {name} | - | {measured:.4g} | - | {limit} |", flush=True)
                continue
            rows.append({"seconds": predicted / 1000, "measured_seconds": measured / 1000})
            errors.append(abs(math.log(predicted / measured)))
            print(f"| {run['transform']} | {run['n']} | {name} | {predicted:.4g} | {measured:.4g} | {predicted / measured:.2f} | {limit} |", flush=True)
        order = tau(rows)
        if order is not None:
            taus.append(order)
            print(f"| {run['transform']} | {run['n']} | **Kendall's tau {order:.2f}** | | | | |")
    print(f"\n{len(errors)} versions: geometric mean of the errors {100 * (math.exp(statistics.mean(errors)) - 1):.0f} %, "
          f"median of tau {statistics.median(taus):.2f} over {len(taus)} transforms and sizes")


if __name__ == "__main__":
    main()
