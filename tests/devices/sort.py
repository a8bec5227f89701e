#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sort of devices from the program to its launches, against the processor's, bit for bit: sort.py PBC.

Sort of the standard library by every choice on the processor, by the device alone, and by merging what the device has sorted; sorts of other
elements and of views; devices that refuse memory, kernels or launches. DEVICE=opencl runs all but the faults on PoCL.
"""
import os, random, struct, subprocess, sys, tempfile
from pathlib import Path

PBC = os.path.abspath(sys.argv[1])
DEVICE = os.environ.get("DEVICE", "fake")
PROGRAM = """
%{
#include <algorithm>
%}
#include <sort.pbcc>
transform Numbers from A[n] to B[n] { to(B b) from(A a) { Sort(b, a); } }
transform Twice from A[n] to B[n] { to(B b) from(A a) using(t[n]) { Sort(t, a); Sort(b, t); } }
transform InPlace from A[n] to B[n] { to(B b) from(A a) { for (int i = 0; i < n; ++i) b.cell(i) = a.cell(i); Sort(b, b); } }
transform Columns from A[w, h] to B[w, h] { to(B b) from(A a) { for (int x = 0; x < w; ++x) Sort(b.column(x), a.column(x)); } }
transform Floats from A[n] : float to B[n] : float { rule plain to(B b) from(A a) gpu pbc.sort(b, a) { SORT } }
transform Ints from A[n] : int to B[n] : int { rule plain to(B b) from(A a) gpu pbc.sort(b, a) { SORT } }
transform Longs from A[n] : long to B[n] : long { rule plain to(B b) from(A a) gpu pbc.sort(b, a) { SORT } }
""".replace("SORT", "for (int i = 0; i < n; ++i) b.cell(i) = a.cell(i);  if (n > 0) std::sort(&b.cell(0), &b.cell(0) + n);")
LETTERS = {"Floats": "f", "Ints": "i", "Longs": "q"}
ON_DEVICE = 'sequential_cutoff = 0\nchoice = "RadixSort"\nplace_RadixSort = "gpu_library"\n'
CHOICES = {
    "merge": '[Sort]\nchoice = "MergeSort"\n', "quick": '[Sort]\nchoice = "QuickSort"\n', "insertion": '[Sort]\nchoice = "InsertionSort"\n',
    "radix": '[Sort]\nchoice = "RadixSort"\nplace_RadixSort = "cpu"\n', "device": "[Sort]\n" + ON_DEVICE,
    "merged": '[Sort]\nsequential_cutoff = 0\nchoice = [{ below = 200, use = "RadixSort" }, { use = "MergeSort" }]\nplace_RadixSort = "gpu_library"\n',
}
numbers = random.Random(11)
runs = 0

def write(file, values, letter, extents=()):
    shape = "(" + "".join(f"{e}, " for e in reversed(extents or (len(values),))) + ")"
    kind = {"d": "<f8", "f": "<f4", "i": "<i4", "q": "<i8"}[letter]
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    Path(file).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}{letter}", *values))

def body(file):
    """The bytes of the elements."""
    data = Path(file).read_bytes()
    return data[10 + struct.unpack("<H", data[8:10])[0]:]

def run(transform, config, devices=DEVICE, fake="1"):
    global runs
    runs += 1
    Path("run.toml").write_text(config)
    Path("out.npy").unlink(missing_ok=True)
    done = subprocess.run(["./p", "--config=run.toml", f"--transform={transform}", f"--devices={devices}", "--threads=2", "in.npy", "out.npy"],
                          capture_output=True, text=True, timeout=120, env={**os.environ, "PB_FAKE_DEVICE": fake})
    assert done.returncode == 0, done.stderr
    return body("out.npy"), done.stderr

def check(transform, values, letter, config, what, said="", **more):
    right = struct.pack(f"<{len(values)}{letter}", *sorted(values))
    got, saw = run(transform, config, **more)
    assert got == right, f"{transform}, {len(values)}, {what}: another result; {saw}"
    assert (said in saw and saw.count("note") == 1) if said else not saw, f"{transform}, {what}: {saw}"

def main():
    Path("p.pbcc").write_text(PROGRAM)
    subprocess.run([PBC, "p.pbcc", "--main=Numbers", "-o", "p"], check=True)
    some = lambda n: [numbers.uniform(-1, 1) * 10 ** numbers.randint(-300, 300) for _ in range(n)]

    # Every choice; sizes around those of groups' tiles.
    for n in (0, 1, 2, 383, 384, 385, 1000):
        values = some(n)
        write("in.npy", values, "d")
        for choice, config in CHOICES.items():
            check("Numbers", values, "d", config, choice)
    check("InPlace", values, "d", CHOICES["device"], "in place")

    # What has no place among numbers has that of the processor's RadixSort.
    infinite, nan = float("inf"), float("nan")
    values = [numbers.choice((0.0, -0.0, infinite, -infinite, nan, -nan, 5e-324, -5e-324, 1.0)) for _ in range(900)]
    write("in.npy", values, "d")
    right, _ = run("Numbers", CHOICES["radix"], "none")
    got, said = run("Numbers", CHOICES["device"])
    assert got == right and not said, said

    # Columns, whose numbers do not lie side by side.
    values = some(3 * 500)
    write("in.npy", values, "d", (3, 500))
    right, _ = run("Columns", CHOICES["radix"], "none")
    got, said = run("Columns", CHOICES["device"])
    assert got == right and not said, said

    for transform, letter in LETTERS.items():
        for n in (1, 639, 641, 1500):
            values = [numbers.uniform(-1e9, 1e9) if letter == "f" else numbers.randint(-2**31, 2**31 - 1) for _ in range(n)]
            values = list(struct.unpack(f"<{n}f", struct.pack(f"<{n}f", *values))) if letter == "f" else values
            write("in.npy", values, letter)
            check(transform, values, letter, f'[{transform}]\nsequential_cutoff = 0\nplace_plain = "gpu_library"\n', "device")

    if DEVICE != "fake":
        return
    # A device that waits for groups; and then whatever fails, the processor sorts, and the program says so once.
    values = some(2000)
    write("in.npy", values, "d")
    last = {"": 27, "groups_wait=1": 11, "shares=1": 28}  # launches
    for options, launches in last.items():
        check("Numbers", values, "d", CHOICES["device"], options, fake=options or "1")
        for launch in range(1, launches + 1):
            check("Numbers", values, "d", CHOICES["device"], options, f"RadixSort runs on the processor: fake device 0: RadixSort: the fake device refuses launch {launch},",
                  fake=f"{options} fail=launch:{launch}")
        check("Numbers", values, "d", CHOICES["device"], options, fake=f"{options} fail=launch:{launches + 1}")
        check("Numbers", values, "d", CHOICES["device"], options, "the fake device refuses the kernel pb_sort_pass", fake=f"{options} fail=build:pb_sort_pass")
        check("Numbers", values, "d", CHOICES["device"], options, "the fake device is lost", fake=f"{options} fail=lost:9")
    # Two matrices of 16000 bytes fit, but not a third array, which the sort needs. Memory that is refused once is asked for again.
    check("Numbers", values, "d", CHOICES["device"], "little memory", "the fake device has no 16000 bytes", fake="memory=50000")
    for allocation in (3, 4):
        check("Numbers", values, "d", CHOICES["device"], "memory is refused", "the fake device refuses allocation", fake=f"fail=memory:{allocation}+")
        check("Numbers", values, "d", CHOICES["device"], "memory is refused once", fake=f"fail=memory:{allocation}")
    # What an earlier sort has left on the device gives way.
    check("Twice", values, "d", CHOICES["device"], "memory for one sort", fake="memory=70000")
    check("Numbers", values, "d", CHOICES["device"], "little local memory", "bytes for each group", fake="local=8K")

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
print(f"{runs} runs")
