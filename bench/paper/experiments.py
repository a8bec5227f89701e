# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The experiments of scripts/results. Each is a step of the journal and returns data; page.py and plots.py show them."""
import json
import math
import os
import statistics
import subprocess
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from paper.journal import write
from samples import in_turns

FORCED = {  # mappings of Fig. 2: how, and what each transform of stdlib/convolution.pbcc uses
    "2-D": ("OnePass", "cpu"), "separable": ("AcrossFirst", "cpu"),
    "2-D on the device": ("OnePass", "gpu"), "2-D, local memory": ("OnePass", "gpu_local"),
    "separable on the device": ("AcrossFirst", "gpu"), "separable, local memory": ("AcrossFirst", "gpu_local"),
}


@dataclass(frozen=True)
class Effort:
    """`seconds` of each tuning, `patience`: the longest run, in seconds, that is waited for; `rounds` of each comparison; `widths` of kernels."""
    seconds: float
    patience: float
    rounds: int
    widths: tuple
    width_seconds: float
    full_seconds: float  # of a tuning with --effort=full, or 0


QUICK = Effort(seconds=4, patience=2, rounds=1, widths=(3, 9, 17), width_seconds=3, full_seconds=0)
USUAL = Effort(seconds=15, patience=10, rounds=3, widths=tuple(range(3, 18)), width_seconds=6, full_seconds=60)


def properties(program):
    """How many configurations a program has, as a power of ten, and how many kernels for devices: for each level of a choice its
    alternatives and a cut-off of 31 bits, for each tunable its values."""
    info = json.loads(subprocess.run([program, "--info"], capture_output=True, text=True, check=True).stdout)
    power, kernels = 0.0, 0
    levels = 12  # of a choice by size (docs/tuning.md)
    for transform in info["transforms"]:
        for site in transform["sites"]:
            power += levels * math.log10(len(site["alternatives"])) + (levels - 1) * 31 * math.log10(2)
            if site["key"].startswith("place_"):
                kernels += len(site["alternatives"]) - 1
        for tunable in transform["tunables"]:
            power += math.log10(tunable.get("max", 1) - tunable.get("min", 0) + 1)
    return {"configurations": round(power), "kernels": kernels}


def tuned(pbc, program, arguments, profile, seconds, effort, configuration, **environment):
    """A tuning from the beginning: its time, what it found, how many kernels drivers compiled, and the text of the configuration."""
    configuration.unlink(missing_ok=True)  # an earlier one could be kept, whose times the tuner does not know
    with tempfile.TemporaryDirectory() as cache:
        env = profile.environment(PB_KERNEL_CACHE=cache, **environment)
        command = [pbc, "tune", program, *arguments, f"--effort={effort}", f"--budget={seconds}", "--fresh", "--report=none", "--json",
                   f"--output={configuration}", *profile.options()]
        r = subprocess.run([str(c) for c in command], env=env, capture_output=True, text=True, timeout=60 + 5 * seconds)
        if r.returncode:
            raise SystemExit(f"scripts/results: {' '.join(map(str, command))} ended with {r.returncode}:\n{r.stderr}")
        found = json.loads(r.stdout)
        compiled = sum(1 for file in Path(cache).rglob("*") if file.is_file())
    return {"seconds": found["seconds"], "measurements": found["measurements"], "choices": found["choices"], "kernels_compiled": compiled,
            "default_seconds": found["default_seconds"], "tuned_seconds": found["tuned_seconds"], "text": configuration.read_text()}


def timed(program, arguments, profile, configuration, patience, **environment):
    """Seconds of a run with a configuration, or infinity where it takes longer than `patience`."""
    command = [program, *arguments, "--time", f"--max-sec={patience}", *profile.options()]
    command.append(f"--config={configuration}" if configuration else "--noconfig")
    try:
        r = subprocess.run([str(c) for c in command], env=profile.environment(**environment), capture_output=True, text=True, timeout=2 * patience + 10)
    except subprocess.TimeoutExpired:
        return math.inf
    for line in r.stdout.splitlines():
        if line.startswith("time: "):
            return float(line.split()[1])
    return math.inf


def compared(runs, rounds):
    """The median of each run's seconds, of `rounds` runs that take turns, or None for what takes too long and runs once.
    `runs`: from names to functions."""
    samples = {name: [run()] for name, run in runs.items()}
    rest = {name: run for name, run in runs.items() if not math.isinf(samples[name][0])}
    if rounds > 1 and rest:
        for name, more in zip(rest, in_turns(rounds - 1, *rest.values())):
            samples[name] += more
    return {name: statistics.median(times) if name in rest else None for name, times in samples.items()}


def device_only(program, folder):
    """A configuration with each step that can be on a device there, in its first version, and nothing else."""
    info = json.loads(subprocess.run([program, "--info"], capture_output=True, text=True, check=True).stdout)
    return forced(folder / "device_only.cfg", {t["name"]: {s["key"]: s["alternatives"][1]["name"] for s in t["sites"] if s["key"].startswith("place_")}
                                               for t in info["transforms"]})


def forced(file, choices):
    """Writes a configuration with these choices, from transforms to keys to alternatives."""
    text = ""
    for transform, uses in choices.items():
        if uses:
            text += f"[{json.dumps(transform)}]\n" + "".join(f'{key} = [ {{ use = "{use}" }} ]\n' for key, use in uses.items())
    write(file, text)
    return file


def mapping(file, name):
    """A configuration with one of the FORCED mappings of a separable convolution."""
    how, place = FORCED[name]
    places = {t: {"place_rule0": place} for t in ("ConvolutionOfBoth", "ConvolutionAcross", "ConvolutionDown")}
    return forced(file, {"SeparableConvolution": {"choice": how}, **places})


def cross(program, arguments, profile, configurations, effort):
    """The seconds of each configuration on one profile, from names to seconds, or None for what takes too long."""
    return compared({name: lambda c=c: timed(program, arguments, profile, c, effort.patience) for name, c in configurations.items()}, effort.rounds)


def by_size(program, benchmark, profile, configuration, rivals, effort, **environment):
    """Rows with a size, the seconds of the tuned program, and its fastest rival at this size. All take turns. `rivals`: as of Programs.rivals."""
    # A configuration without a number of threads has one for each processor.
    threads = profile.threads or tomllib.loads(Path(configuration).read_text()).get("threads") or os.cpu_count()
    rows = []
    for n in benchmark.sizes:
        runs = {name: lambda run=run: run(n, threads) for name, run in rivals}
        seconds = compared({"": lambda: timed(program, benchmark.arguments(n), profile, configuration, 2 * effort.patience, **environment), **runs}, effort.rounds)
        ours = seconds.pop("")
        best = min(seconds, key=seconds.get, default=None)
        rows.append({"n": n, "seconds": ours, "rival": best and {"name": best, "seconds": seconds[best]}})
    return rows
