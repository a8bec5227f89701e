#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every kernel for devices of some programs to machine code of NVIDIA's GPUs, and looks at it.

  machine_code.py PBC ARCHITECTURE,... K/N ALLOWED PROGRAM...

Takes each N-th program, from the K-th on, for these architectures, and with PBC_ALL=1 for all. A kernel that spills registers, that has arrays of an item in memory, or conflicts of banks in its
group's memory, must be named in the file ALLOWED: "ARCHITECTURE FILE: NAME: N bytes spilled", "ARCHITECTURE FILE: NAME: N bytes of an item's
stack", "ARCHITECTURE FILE: NAME: MEMORY in N turns". PROGRAM may be FILE:MACRO:K/N: each N-th of the lines that begin with MACRO, from the
K-th on, and all other lines; a file of schedules for it is beside it in the folder `schedules`, with a schedule a line. No GPU is needed, but NVRTC: without it the test is skipped.
"""
import concurrent.futures, json, os, subprocess, sys, tempfile

NOTHING_TO_TEST = 77
ALL = ("sm_80", "sm_90")
PROBE = "transform Copy from A[n] to B[n] { B.cell(x) from(A.cell(x) a) { return a; } }"

def part(folder, program):
    """The words for pbc of a program, or of a part of it."""
    path, *which = program.split(":")
    if not which:
        return [path]
    macro, numbers = which
    k, n = map(int, numbers.split("/"))
    with open(path) as file:
        lines = file.read().splitlines()
    uses = [line for line in lines if line.startswith(macro)]
    kept = set(uses[k::n])
    made = os.path.join(folder, os.path.basename(path))
    with open(made, "w") as file:
        file.write("\n".join(line for line in lines if line not in uses or line in kept) + "\n")
    # Of the schedules, those for devices: a step of another one may apply to no rule of this part, which is an error.
    name = os.path.splitext(os.path.basename(path))[0] + ".sched"
    with open(os.path.join(os.path.dirname(path), "schedules", name)) as file:
        schedules = [line for line in file if not line.startswith("schedule ") or " on gpu " in line]
    with open(os.path.join(folder, name), "w") as file:
        file.writelines(schedules)
    return [made, f"--schedule={os.path.join(folder, name)}"]

def look(pbc, program, architecture):
    with tempfile.TemporaryDirectory() as folder:
        return look_at(pbc, program, architecture, part(folder, program))

def look_at(pbc, program, architecture, words):
    program = program.split(":")[0]
    done = subprocess.run([pbc, "explain", "--json", f"--device={architecture}", *words], capture_output=True, text=True)
    if "the program has no transform" in done.stderr:  # it is for other programs to include
        return "", 0, []
    if done.returncode != 0:
        return f"{program}, {architecture}: {done.stderr}", 0, []
    kernels = json.loads(done.stdout)["kernels"]
    broken = [k for k in kernels if "error" in k]
    if broken:
        return f"{program}: {broken[0]['name']}: {broken[0]['error']}", 0, []
    lines = [f"{architecture} {os.path.basename(program)}: {k['name']}: {k['spills']} bytes spilled" for k in kernels if k["spills"]]
    lines += [f"{architecture} {os.path.basename(program)}: {k['name']}: {k['local_bytes']} bytes of an item's stack" for k in kernels if k["local_bytes"]]
    for k in kernels:
        for memory, degrees in k["bank_conflicts"].items():
            if max(degrees.values()) > 1:
                lines.append(f"{architecture} {os.path.basename(program)}: {k['name']}: {memory} in {max(degrees.values())} turns")
    return "", len(kernels), lines

def main():
    pbc, (k, n), allowed = sys.argv[1], map(int, sys.argv[3].split("/")), sys.argv[4]
    architectures = ALL if os.environ.get("PBC_ALL") else sys.argv[2].split(",")
    programs = sys.argv[5:][k::n]
    with tempfile.TemporaryDirectory() as folder:
        probe = os.path.join(folder, "probe.pbcc")
        with open(probe, "w") as file:
            file.write(PROBE)
        first = look(pbc, probe, architectures[0])
    if "need its compiler NVRTC" in first[0]:
        print("this machine has no NVRTC")
        sys.exit(NOTHING_TO_TEST)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: look(pbc, *job), [(p, a) for p in programs for a in architectures]))
    with open(allowed) as file:
        known = {line.strip() for line in file if line.strip() and not line.startswith("#")}
    failed = [error for error, _, _ in results if error]
    found = [line for _, _, lines in results for line in lines]
    new = [line for line in found if line not in known]
    count = sum(number for _, number, _ in results)
    print(f"{count} kernels of {len(programs)} programs for {' and '.join(architectures)}, {len(found)} remarks")
    if failed or new or count == 0:
        print("\n".join(failed + new))
        sys.exit(1)

main()
