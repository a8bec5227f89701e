#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong with a device while a program runs: faults.py PBC chain|heat|calls|later|steps|repeat

Each fault strikes at the first command, allocation or copy, then at the second, and so on. The program must end with
status 0 and the processor's result, and say what happened: nothing but the sentences below, each at most once.
"""
import concurrent.futures, json, os, re, subprocess, sys, tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PBC, NAME = os.path.abspath(sys.argv[1]), sys.argv[2]
DEVICE = "fake device 0"
steps_of_program = set()
MOST = 16  # of each kind of fault
CHAINED = {"steps": 80}  # launches that are one command
WHY = {  # what a device says
    "build": "the fake device refuses the kernel pb_TRANSFORM_STEP, as was asked for",
    "memory": "the fake device refuses allocation K, as was asked for",
    "launch": "the fake device refuses launch K, as was asked for",
    "copy": "the fake device refuses a copy, as was asked for",
    "lost": "the fake device is lost, as was asked for",
    "hang": "none of its commands has ended for 1.0 seconds; PB_DEVICE_TIMEOUT=SECONDS gives them twenty times SECONDS",
    "stuck": "its driver has not answered for 0.05 seconds; PB_DEVICE_TIMEOUT=SECONDS gives it more time",
}
WAITING = re.compile(f"still waiting for (?:(?:the kernel|a copy for) (\\S+)|a copy of results) on {DEVICE}; if nothing has ended there after 1.0 "
                     r"seconds, the program goes on without it \(PB_DEVICE_TIMEOUT=SECONDS: it is given twenty times SECONDS\)")

def fail(message):
    sys.exit(f"{NAME}: {message}")

def run(fault, more=("--n=100",), config="all.toml", **environment):
    variables = {**os.environ, "PB_FAKE_DEVICE": fault or "1", "PB_DEVICES": "fake", **environment}
    try:
        return subprocess.run(["./" + NAME, "--config=" + config, "--hash", "--threads=2", *more],
                              capture_output=True, text=True, timeout=60, env=variables)
    except subprocess.TimeoutExpired:
        fail(f"{fault} {environment}: does not end")

def notes(done):
    return [line.removeprefix(NAME + ": note: ") for line in done.stderr.splitlines()]

def counters(*more):
    """What the device was given in a run, by the words of PB_DEVICE_COUNTERS."""
    done = run("", more or ("--n=100",), PB_DEVICE_COUNTERS="1")
    line = notes(done)[-1]
    m = re.fullmatch(DEVICE + r": (\d+) launches, (\d+) copies in \((\d+) bytes\), (\d+) copies out \((\d+) bytes\), "
                     r"(\d+) allocations, (\d+) evictions, (\d+) buffers left \((\d+) bytes\), "
                     r"(\d+) bytes at rest, (\d+) bytes locked, (\d+) graphs given (\d+) times, (\d+) work-items", line)
    if not m:
        fail(f"no counters: {done.stderr}")
    words = ["launches", "in", "bytes in", "out", "bytes out", "allocations", "evictions", "buffers", "bytes", "resting", "locked", "graphs", "chains", "items"]
    return done, dict(zip(words, map(int, m.groups())))

def configuration(info, place="gpu"):
    """All steps on a device, however small."""
    text = ""
    for t in info["transforms"]:
        text += f'["{t["name"]}"]\nsequential_cutoff = 0\n'
        for s in t["sites"]:
            if s.get("device"):
                use = place if place in [a["name"] for a in s["alternatives"]] else "gpu"
                text += f'"{s["key"]}" = "{use}"\n'
    return text

def sentences(kind, k, steps):
    """All that may be said, and whether something must be."""
    why = WHY[kind].replace("K", str(k)) if kind != "build" else WHY[kind]
    lost = f"{DEVICE} is lost, and what only it had: {why}"
    again = {f"the program begins again without a device: {lost}"}
    here = {f"{step} runs on the processor: {DEVICE}: {step}: {why}" for step in steps}
    gone = {f"{step} runs on the processor: {lost}" for step in steps}
    if kind == "lost":  # noticed by the launch itself
        gone |= {f"{step} runs on the processor: {DEVICE}: {why}" for step in steps}
    if kind in ("lost", "hang", "stuck"):
        return again | gone
    # A refused copy of results, or a launch in the middle of rounds, loses what only the device has.
    return here | again | gone if kind in ("copy", "launch") else here

def check(fault, right, allowed, least=0, config="all.toml", **environment):
    done = run(fault, config=config, **environment)
    said = notes(done)
    where = f"{fault} {environment}"
    if done.returncode != 0:
        fail(f"{where}: status {done.returncode}\n{done.stderr}")
    if done.stdout != right:
        fail(f"{where}: {done.stdout}, not {right}{done.stderr}")
    if any(WHY["hang"] in s for s in said) and not WAITING.fullmatch(said[0]):
        fail(f"{where}: nothing was said while the device did not answer:\n{done.stderr}")
    for waiting in filter(WAITING.fullmatch, said[:1] if "PB_DEVICE_TIMEOUT" in environment else []):
        if WAITING.fullmatch(waiting)[1] not in {None, *steps_of_program}:
            fail(f"{where}: {waiting}")
        said = said[1:]
    if len(set(said)) != len(said) or set(said) - allowed or len(said) < least:
        fail(f"{where}: said\n  " + "\n  ".join(said) + "\nexpected, each once,\n  " + "\n  ".join(sorted(allowed)))
    return said

def faults(right, steps):
    jobs = []
    _, clean = counters()
    totals = {"memory": clean["allocations"], "launch": clean["launches"], "copy": clean["in"] + clean["out"],
              "lost": clean["launches"] - CHAINED.get(NAME, 0) + clean["chains"] + clean["in"] + clean["out"]}
    for kind, total in totals.items():
        for k in range(1, min(total, MOST) + 1):
            least = 1 if kind == "launch" or k == 1 else 0  # later allocations may be tried again
            jobs.append((f"fail={kind}:{k}", sentences(kind, k, steps), least, {}))
            if kind == "lost":  # a device that is lost builds no other version either: the loss is all there is to say
                for _ in range(30 if NAME == "later" and k == 1 else 1):  # who notices it first is left to chance
                    jobs.append((f"fail=lost:{k}", sentences(kind, k, steps), least, {"config": "local.toml"}))
        jobs.append((f"fail={kind}:{total + 100}", set(), 0, {}))
    if NAME in CHAINED:
        if clean["chains"] != 1:
            fail(f"{clean['chains']} chains")
        jobs.append(("fail=chain:1", {f"launches are given to {DEVICE} one by one: the fake device makes no graph, as was asked for"},
                     1, {}))
    for kind in ("memory", "launch", "copy"):
        every = set().union(*(sentences(kind, k, steps) for k in range(1, 200)))
        jobs.append((f"fail={kind}:1+", every, 1, {}))
    for kind in ("hang", "stuck"):
        for k in (1, 3, totals["lost"]):
            # A busy machine may keep a driver's call for longer than the limit, too.
            jobs.append((f"fail={kind}:{k}", sentences("hang", k, steps) | sentences("stuck", k, steps), 1,
                         {"PB_DEVICE_TIMEOUT": "0.05"}))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for job in [pool.submit(check, fault, right, allowed, least=least, **e) for fault, allowed, least, e in jobs]:
            job.result()
    return len(jobs)

def kernels(right, transforms):
    """A kernel that does not compile: exactly these sentences."""
    refusals = [f"{step} runs on the processor: {DEVICE}: " +
                WHY["build"].replace("TRANSFORM", t).replace("STEP", step) for t, steps in transforms for step in steps]
    if check("fail=build:*", right, set(refusals)) != refusals:
        fail("kernels that do not compile are not all mentioned, in their order")
    for t, steps in transforms:
        for step in steps:
            refusal = (f"{step} runs on the processor: {DEVICE}: " +
                       WHY["build"].replace("TRANSFORM", t).replace("STEP", step))
            check(f"fail=build:pb_{t}_{step}", right, {refusal}, least=1)

def gone(right):
    """A device that was there when the program was tuned."""
    none = "the configuration places steps on a device, and there is none: they run on the processor"
    missing = "there is no device 'cuda:77'; this machine has fake:0"
    # Only the fake device is sure to be there.
    done = run("", PB_DEVICES="cuda:77")
    if done.returncode or done.stdout != right or notes(done)[1:] != [none] or \
            not notes(done)[0].startswith(missing.split(";")[0]):
        fail(f"a device that is not there: {done.stdout}{done.stderr}")
    check("", right, {none}, least=1, PB_DEVICES="all", PB_FAKE_DEVICE="", OCL_ICD_VENDORS="/nowhere",
          CUDA_VISIBLE_DEVICES="")
    check("", right, set(), PB_DEVICES="none")

def repeat():
    """Ten thousand launches use no more memory than a few (requirement 63)."""
    Path("a.txt").write_text("SIZE 7\n1 2 3 4 5 6 7\n")
    done, few = counters("10", "a.txt", "/dev/null")
    right = run("", ("10", "a.txt", "/dev/null"), PB_DEVICES="none").stdout
    if done.stdout != right:
        fail(f"{done.stdout} instead of {right}{done.stderr}")
    _, many = counters("3400", "a.txt", "/dev/null")
    if many["launches"] < 10_000 or many["allocations"] > few["allocations"] + 128 or many["buffers"] > few["buffers"] + 64:
        fail(f"after 10 calls: {few}\nafter 3400: {many}")
    print(f"{NAME}: {many}")

def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ.setdefault("PB_KERNEL_CACHE", folder)
        made = subprocess.run([PBC, HERE / f"{NAME}.pbcc", "-o", NAME], capture_output=True, text=True)
        if made.returncode:
            fail(made.stderr)
        info = json.loads(subprocess.run(["./" + NAME, "--info"], capture_output=True, text=True).stdout)
        Path("all.toml").write_text(configuration(info))
        Path("local.toml").write_text(configuration(info, "gpu_local"))
        if NAME == "repeat":
            return repeat()
        transforms = [(t["name"], [s["key"].removeprefix("place_") for s in t["sites"] if s.get("device")])
                      for t in info["transforms"]]
        steps_of_program.update(s for _, steps in transforms for s in steps)
        right = run("", PB_DEVICES="none").stdout
        if "hash: 0x" not in right:
            fail(f"no hash: {right}")
        check("", right, set())
        kernels(right, transforms)
        gone(right)
        print(f"{NAME}: {faults(right, [s for _, steps in transforms for s in steps])} faults")

main()
