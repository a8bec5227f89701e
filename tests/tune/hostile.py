#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the tuner with candidates that misbehave: hostile.py PBC SOURCE FAULT

Tunes SOURCE, whose rule Good is faster than its default, Plain, and whose rule Bad would be the fastest without the
defect that FAULT names. The run must end on time, Good must win, Bad must not be chosen for any size, and the summary
must report the defect.
"""
import json, os, subprocess, sys, tempfile, time

SLACK = 3  # seconds for starting and for the report on a machine with much else to do
# What the summary says of Bad: any of these kinds, and this text in the reason. How long a candidate may take at small
# sizes is little, so what eats memory may be stopped for its time, and then is said to have much memory.
FAULTS = {
    "loops": (["too slow"], "it hangs or is much slower"),
    "faults": (["crash"], "signal 11 (Segmentation fault)"),
    "allocates": (["out of memory", "too slow"], "memory"),
    "shares": (["out of memory", "too slow"], "memory"),
    "throws": (["out of memory"], "wants more than its share of the memory"),
    "odd": (["wrong result"], "gives a different result from the default"),
    "large": (["wrong result"], "at B[32768]"),
    "equal": (["wrong result"], "gives a different result from the default"),
    "input": (["wrong result"], "writes into its input A"),
    "signals": (["crash"], "signal 9 (Killed)"),
    "forges": (["wrong result"], "gives a different result from the default"),
    "pretends": (["wrong result"], "run by itself, gives a different result from the default"),
    "clock": (["error"], "run by itself, a run of it takes"),
    "shouts": None,  # it is only slow
}


# How the fault is tuned. Most tunings end after their trials, long before the budget, so that a busy machine finds the
# same. Faults that take time must keep to a short budget. `large` is looked for at several sizes, `shouts` changes
# little at small ones and prints in each run, and a clock that is set back is only found in races, which take all the time that there is. If it
# is found at the very end, there is no time for a race that Good wins.
USUAL = dict(n=4096, budget=30, trials=20)
HOW = {
    "loops": dict(n=4096, budget=10),
    "allocates": dict(n=4096, budget=6),
    "shouts": dict(n=65536, budget=60, trials=10),
    "large": dict(n=33000, budget=6),
    "clock": dict(n=16384, budget=12, trials=40),
}


def check(condition, what):
    if not condition:
        print(what)
        sys.exit(1)


def tune(pbc, source, *words, **environment):
    """The summary, the text on standard error, the configuration and the seconds that the tuning took."""
    program = os.path.splitext(os.path.basename(source))[0]
    made = subprocess.run([pbc, source, "-o", program], capture_output=True, text=True, timeout=200)
    check(made.returncode == 0, made.stderr)
    begin = time.monotonic()
    done = subprocess.run([pbc, "tune", "./" + program, "--threads=1", "--json", *words],
                          capture_output=True, text=True, timeout=250, env={**os.environ, **environment})
    check(done.returncode == 0, done.stdout + done.stderr)
    with open(program + ".cfg") as file:
        return json.loads(done.stdout), done.stderr, file.read(), time.monotonic() - begin


def is_named(result, suspect, kinds, reason):
    # If there was no time to try each part alone, the whole configuration is named, the main suspect first.
    faults = [f for f in result["rejected"] if f["suspect"].startswith(suspect)]
    return any(f["kind"] in kinds and reason in f["reason"] for f in faults)


def named(result, suspect, kinds, reason):
    check(is_named(result, suspect, kinds, reason),
          f"no {kinds} of '{suspect}' with '{reason}' in {json.dumps(result, indent=1)}")


def endless_compiler(pbc, source):
    """The fake device's compiler is a script that never ends."""
    with open("endless", "w") as script:
        script.write("#!/bin/sh\nexec sleep 1000\n")
    os.chmod("endless", 0o755)
    result, said, configuration, seconds = tune(
        pbc, source, "--budget=6", "--n=65536", "--compile-limit=1", PB_DEVICES="fake", PB_FAKE_COMPILER=os.getcwd() + "/endless")
    named(result, "Copy.place_rule0 with gpu", ["compiles too long"], "is not compiled within 1 s")
    check('"gpu"' not in configuration, configuration)
    return seconds


def endless_variants(pbc, source):
    """Tests a compiler that is too slow for variants of the program: only the program itself is compiled."""
    done = subprocess.run([pbc, "tune", "--kernels", source, "-o", "variant", "--n=1000", "--compile-limit=0.0001"],
                          capture_output=True, text=True, timeout=100)
    check(done.returncode == 1 and "is not compiled within 0.0001 s" in done.stderr, done.stderr)


def main():
    pbc, source, fault = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if fault == "compiles":
            endless_compiler(pbc, source)
            endless_variants(pbc, source)
        else:
            # What a busy machine does not find in this time, it finds in more. Each try begins anew.
            for times in (1, 4):
                how = dict(HOW.get(fault, USUAL))
                how["budget"] *= times
                os.mkdir(str(times))
                os.chdir(str(times))
                result, said, configuration, seconds = tune(
                    pbc, source, "--memory=200", *(f"--{name}={value}" for name, value in how.items()))
                os.chdir(folder)
                if (not FAULTS[fault] or is_named(result, "Copy with Bad", *FAULTS[fault])) and (
                        "Good" in result["choices"][0] or fault == "clock") and "Bad" not in configuration:
                    break
            if FAULTS[fault]:
                named(result, "Copy with Bad", *FAULTS[fault])
            check("Good" in result["choices"][0] or fault == "clock", f"Good does not win: {result}")
            check("Bad" not in configuration, f"Bad is chosen:\n{configuration}")
            # Every misbehaviour must keep to the budget; SLACK is for work that takes no time on an idle machine.
            check(seconds < 1.1 * how["budget"] + 2 + SLACK, f"it took {seconds} s")
        os.chdir("/")
    print(f"{fault}: as expected")


main()
