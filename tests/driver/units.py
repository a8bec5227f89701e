#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests in which units the functions of kernels stand, and that programs whose kernels stand in several are right. units.py PBC"""
import os, re, struct, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
PRODUCT = """  {to}.cell(x, y) from({a}.row(y) a, {b}.column(x) b) {{
    ElementT s = {first};
    for (int i = 0; i < n; ++i) s += a.cell(i) * b.cell(i);
    return s;
  }}
"""
SHORT = "transform Short from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return 2 * a; } }"
# Three products, so long that each would be worth a unit.
LONG = ("transform Long from A[n, n] to D[n, n] through B[n, n], C[n, n] {\n" +
        PRODUCT.format(to="B", a="A", b="A", first=0) + PRODUCT.format(to="C", a="A", b="B", first=1) +
        PRODUCT.format(to="D", a="B", b="C", first=2) + "}\n")
# The first rule's body cannot be taken apart: its kernel calls it, so that both stand in the transform's own unit.
BODY = LONG.replace("ElementT s = 0;", "ElementT s = 0; static int calls; ++calls;")
OPTIONS = ["--no-devices", "--no-cache"]


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def units(folder, text):
    """{unit: its text}"""
    path = os.path.join(folder, "p.pbcc")
    with open(path, "w") as f:
        f.write(text)
    parts = re.split(r"^// ==== (\S+)\.cpp\n", run(PBC, path, "--emit=cpp", *OPTIONS), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def kernels(text):
    return set(re.findall(r"^static void (pb_kernel_\d+)\(", text, re.M))


def matrix(path, cells):
    n = int(len(cells) ** 0.5)
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, {n}), }}"
    head += " " * ((-len(head) - 11) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(cells)}d", *cells))


with tempfile.TemporaryDirectory() as folder:
    assert list(units(folder, SHORT)) == ["Short", "program"]
    long = units(folder, LONG)
    assert list(long) == ["Long", "Long.kernels0", "Long.kernels1", "program"], list(long)
    assert kernels(long["Long"]) == set() and kernels(long["Long.kernels0"]).isdisjoint(kernels(long["Long.kernels1"]))
    assert kernels(long["Long.kernels0"]) | kernels(long["Long.kernels1"]) == {f"pb_kernel_{k}" for k in range(3)}
    body = units(folder, BODY)
    assert len(kernels(body["Long"])) == 1 and "pb_body_0" in body["Long"], list(body)
    assert not any("pb_body_0" in text for unit, text in body.items() if unit != "Long")

    # The same results from one unit after the other, from several at a time, and from code for several processors.
    n = 70
    matrix(f"{folder}/a.npy", [((7 * k) % 11 - 5) / 8 for k in range(n * n)])
    results = set()
    for k, options in enumerate((["-j1"], ["-j3"], ["--cpu=x86-64-v2,x86-64-v3"], ["-O1"])):
        run(PBC, f"{folder}/p.pbcc", "-o", f"{folder}/p{k}", *OPTIONS, *options)
        run(f"{folder}/p{k}", "--noconfig", f"{folder}/a.npy", f"{folder}/out.npy")
        with open(f"{folder}/out.npy", "rb") as f:
            results.add(f.read())
    assert len(results) == 1, len(results)
print("ok")
