#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc tune --strategy, --trials, --effort=prove and --record, as a user gets them.

  strategies.py PBC SAMPLES
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

def fail(text):
    sys.exit(f"strategies.py: {text}")


def expect(condition, text):
    if not condition:
        fail(text)


def run(command, status=0, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **more)
    expect(done.returncode == status, f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def strategies(pbc):
    """The names of all strategies, as the help lists them: that part of it is made from the tuner's table."""
    listed = run([pbc, "tune", "--help"]).stdout.partition("Strategies (")[2]
    names = re.findall(r"^  (\S+) ", listed, re.MULTILINE)
    expect({"evolutionary", "exhaustive"} <= set(names), f"the help lists the strategies {names}")
    return names


def check(pbc, samples, folder):
    os.environ["PB_DEVICES"] = "none"
    program = os.path.join(folder, "sort")
    run([pbc, os.path.join(samples, "sort.pbcc"), "-o", program])

    def tune(*words, status=0):
        return run([pbc, "tune", program, "--n=512", "--threads=1", "--report=none", *words], status)

    for name in strategies(pbc):
        result = json.loads(tune(f"--strategy={name}", "--trials=40", "--budget=20", "--fresh", "--json").stdout)
        expect(result["strategy"] == name, f"{name}: {result}")
        # Beside the trials: the last race, at most 15 rounds of 4 and the stored one, and 5 to confirm a new winner; a
        # turn of short runs is 3 requests, and up to 12 where all runs were disturbed.
        expect(result["measurements"] <= 40 + 2 + 12 * (15 * 5 + 5 * 3), f"{name} measured {result['measurements']} times")
        expect(("coverage" in result) == (name == "exhaustive"), f"{name}: {result}")

    # A small space is gone through completely, and that is said.
    proof = json.loads(tune("--effort=prove", "--trials=60", "--json").stdout)
    expect(proof["coverage"]["proposed"] > 0 and proof["coverage"]["points"] <= 60, f"{proof}")
    text = tune("--effort=prove", "--trials=60").stdout
    expect(" points" in text and "covered" in text, text)
    big = json.loads(tune("--strategy=exhaustive:points=100000", "--trials=30", "--json").stdout)
    expect(big["coverage"]["proposed"] < big["coverage"]["points"], f"{big}")

    # What is measured once can be replayed.
    record = os.path.join(folder, "sort.space.json")
    run([pbc, "tune", program, "--n=256", "--threads=1", "--trials=200", f"--record={record}"])
    with open(record) as file:
        space = json.load(file)
    points = {len(size["times"]) for size in space["sizes"]}
    expect(len(points) == 1 and 10 <= points.pop() <= 200, "not every size has every point")
    expect(space["info"]["name"] == "sort", "the program's description is missing")
    few = run([pbc, "tune", program, "--n=256", "--trials=2", f"--record={record}"], 1).stderr
    expect("even the coarsest grid over the space has" in few, few)

    for words, message in [
        (["--strategy=magic"], "there is no such strategy"),
        (["--strategy=local:kicks=0"], "kicks must be a number from 1 to 20"),
        (["--strategy=local", "--refresh"], "--refresh goes its own way"),
        (["--trials=0"], "--trials"),
        (["--trials=-3"], "--trials"),
        (["--trials=many"], "--trials"),
    ]:
        said = tune(*words, status=1).stderr
        expect(message in said and said.count("error") <= 1, f"{words}: {said}")
    for option in ["--strategy=local", "--record=times.json"]:
        said = run([pbc, "tune", "--kernels", os.path.join(samples, "sort.pbcc"), option], 1).stderr
        expect(f"{option.split('=')[0]}" in said and "not for --kernels" in said, said)


def main():
    pbc, samples = sys.argv[1], sys.argv[2]
    folder = tempfile.mkdtemp()
    try:
        check(pbc, samples, folder)
    finally:
        shutil.rmtree(folder)


main()
