#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every kernel for devices of some programs to machine code of NVIDIA's GPUs, and looks at it; or has OpenCL build them.

  machine_code.py PBC TARGET,... K/N ALLOWED RECORD PROGRAM...

Takes each N-th program, from the K-th on, for these targets: an architecture (sm_90), an architecture with indices of 64 bits (sm_90/64), or
`opencl`. A kernel that spills registers, that has arrays of an item in memory, or conflicts of banks in its group's memory, must be named in
the file ALLOWED: "TARGET FILE: NAME: N bytes spilled", "TARGET FILE: NAME: N bytes of an item's stack", "TARGET FILE: NAME: MEMORY in N
turns". What each kernel needs is written to the file RECORD, a line each.
PROGRAM may be FILE:MACRO:K/N: each N-th of the lines that begin with MACRO, from the K-th on, and all other lines; a file of schedules for it
is beside it in the folder `schedules`, with a schedule a line. No GPU is needed, but NVRTC: without it the test is skipped.

For `opencl`, the first device of OpenCL builds the kernels, as programs have it do, without optimisation. All that is asked is that it does.
"""
import concurrent.futures, json, os, subprocess, sys, tempfile

NOTHING_TO_TEST = 77
OWN = "opencl"
RECORDED = ("index_bits", "registers", "spills", "local_bytes", "group_bytes")
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

def look(pbc, program, target):
    with tempfile.TemporaryDirectory() as folder:
        return look_at(pbc, program, target, part(folder, program), folder)

def look_at(pbc, program, target, words, folder):
    program = program.split(":")[0]
    architecture, *bits = target.split("/")
    words = words + [f"--index={b}" for b in bits]
    done = subprocess.run([pbc, "explain", "--json", f"--device={architecture}", *words], capture_output=True, text=True,
                          env={**os.environ, "PB_KERNEL_CACHE": "", "POCL_CACHE_DIR": folder, "POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"})
    if "the program has no transform" in done.stderr:  # it is for other programs to include
        return "", [], []
    if done.returncode != 0:
        return f"{program}, {architecture}: {done.stderr}", [], []
    kernels = json.loads(done.stdout)["kernels"]
    broken = [k for k in kernels if "error" in k]
    if broken:
        return f"{program}: {broken[0]['name']}: {broken[0]['error']}", [], []
    record = ["\t".join([target, os.path.basename(program), k["name"], *(str(k.get(key, "")) for key in RECORDED)]) for k in kernels]
    if architecture == OWN:
        return "", record, []
    looked = [(f"{target} {os.path.basename(program)}: {k['name']}", k) for k in kernels if "left_out" not in k]
    lines = [f"{what}: {k['spills']} bytes spilled" for what, k in looked if k["spills"]]
    lines += [f"{what}: {k['local_bytes']} bytes of an item's stack" for what, k in looked if k["local_bytes"]]
    for what, k in looked:
        for memory, degrees in k["bank_conflicts"].items():
            if max(degrees.values()) > 1:
                lines.append(f"{what}: {memory} in {max(degrees.values())} turns")
    return "", record, lines

def main():
    pbc, targets, (k, n), allowed, recorded = sys.argv[1], sys.argv[2].split(","), map(int, sys.argv[3].split("/")), sys.argv[4], sys.argv[5]
    programs = sys.argv[6:][k::n]
    with tempfile.TemporaryDirectory() as folder:
        probe = os.path.join(folder, "probe.pbcc")
        with open(probe, "w") as file:
            file.write(PROBE)
        first = look(pbc, probe, targets[0])
    if "need its compiler NVRTC" in first[0] or "there is no device" in first[0]:
        print("this machine has no device of OpenCL" if OWN in targets else "this machine has no NVRTC")
        sys.exit(NOTHING_TO_TEST)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: look(pbc, *job), [(p, t) for p in programs for t in targets]))
    with open(allowed) as file:
        known = {line.strip() for line in file if line.strip() and not line.startswith("#")}
    failed = [error for error, _, _ in results if error]
    found = [line for _, _, lines in results for line in lines]
    new = [line for line in found if line not in known]
    record = [line for _, lines, _ in results for line in lines]
    with open(recorded, "w") as file:
        file.write("\n".join(["\t".join(["target", "program", "kernel", *RECORDED]), *record]) + "\n")
    print(f"{len(record)} kernels of {len(programs)} programs for {' and '.join(targets)}, {len(found)} remarks; what they need is in {recorded}")
    if failed or new or not record:
        print("\n".join(failed + new))
        sys.exit(1)

main()
