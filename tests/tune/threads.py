#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The number of threads as a decision: threads.py PBC SAMPLES

A program that is served changes its number of threads with the configuration, in one process; what a tuning decides is
stored, applied, shown and accepted.
"""
import json, os, subprocess, sys, tempfile

PBC, SAMPLES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def check(condition, what):
    if not condition:
        print(what)
        sys.exit(1)


def run(*command, status=0):
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    check(done.returncode == status, f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def serves():
    """Another number is others of them in the same process; who does not say one has those of the command line."""
    with subprocess.Popen(["./sort", "--serve", "--noconfig", "--threads=2"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as server:
        def ask(request):
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            reply = json.loads(server.stdout.readline())
            check(reply["ok"], reply)
            return reply, len(os.listdir(f"/proc/{server.pid}/task"))

        two = ask({"op": "prepare", "sizes": {"n": 20000}})[1]
        for wanted, config in ((1, "threads = 1\n"), (5, "threads = 5\n"), (2, ""), (2, "threads = 2\n")):
            reply, threads = ask({"op": "measure", "config": config, "trials": 3})
            check(threads == two - 2 + wanted, f"{threads} tasks, not those of {wanted} threads: {two} with two")
            check(reply["agrees"] and len(reply["seconds"]) == 3, reply)
        server.stdin.close()


def is_tuned():
    processors = json.loads(run("./sort", "--info").stdout)["threads"]["initial"]
    tuned = run(PBC, "tune", "./sort", "--n=3000", "--trials=30", "--report=none").stderr
    fixed = run(PBC, "tune", "./sort", "--n=3000", "--trials=30", "--report=none", "--threads=1", "-o", "one.cfg").stderr
    decisions = [int(said.split(" open decisions")[0].split("(")[-1]) for said in (tuned, fixed)]
    check(decisions[0] == decisions[1] + (processors > 1), f"{tuned}{fixed}")
    with open("one.cfg") as file:
        text = file.read()
    check("\nthreads = 1\n" in text, text)
    check("one.cfg" in run(PBC, "config", "check", "one.cfg", "--for=./sort").stdout, "check")
    shown = run(PBC, "config", "explain", "one.cfg", "--for=./sort").stdout
    check("\nthreads = 1" in "\n" + shown and f"1 to {processors}, default {processors}" in shown, shown)
    if processors > 1:
        shown = run(PBC, "explain", "./sort").stdout
        check("threads" in shown or "more are at their defaults" in shown, shown)
        check(run(PBC, "explain", "./sort", "threads").stdout.startswith("threads: "), "explain threads")
    # Of a larger machine, or written for one.
    with open("many.cfg", "w") as file:
        file.write("threads = 64\n")
    run(PBC, "config", "check", "many.cfg", "--for=./sort")
    check(run("./sort", "--n=500", "--hash", "--config=many.cfg").stdout == run("./sort", "--n=500", "--hash").stdout,
          "threads decide the result")


with tempfile.TemporaryDirectory() as folder:
    os.environ["PB_DEVICES"] = "none"
    os.chdir(folder)
    run(PBC, os.path.join(SAMPLES, "sort.pbcc"), "-o", "sort")
    serves()
    is_tuned()
    os.chdir("/")
print("threads: as expected")
