#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of libraries for devices, from the program to the call: libraries.py PBC DRIVER LIBRARIES.

DRIVER is a CUDA driver for tests (tests/unit/device/cuda_driver.cpp), LIBRARIES a folder with cuBLAS, cuSOLVER and cuFFT
of the same kind: they compute on the processor, in the order of the driver's streams.
"""
import json, os, random, subprocess, sys, tempfile
from pathlib import Path

PBC, DRIVER, LIBRARIES = [os.path.abspath(a) for a in sys.argv[1:4]]
CHAIN = """
#include <linalg.pbcc>
main transform Chain
from A[n, n], B[n, n]
to C[n, n]
{
  to(C c) from(A a, B b) using(t[n, n]) {
    MatrixProduct(t, a, b);
    MatrixProduct(c, t, a.transposed());
  }
}
"""
LAYERS = """
#include <linalg.pbcc>
main transform Layers
from A[3, n, n], B[n, n]
to C[n, n]
{
  to(C c) from(A a, B b) { MatrixProduct(c, a.slice(0, 1), b); }
}
"""
ALL = """
#include <linalg.pbcc>
#include <fft.pbcc>
main transform All
from A[n, n], B[n, n]
to X[n, n], V[n], Y[2, n]
{
  to(X x, V v, Y y) from(A a, B b) using(f[n, n], square[n, n], l[n, n], t[n, n], pairs[2, n]) {
    LuInOrder(f, a);
    MatrixProduct(square, f, f.transposed());
    Cholesky(l, square);
    SolveLower(t, l, b);
    SolveUpper(x, l.transposed(), t);
    MatrixVectorProduct(v, x, b.row(0));
    for (int i = 0; i < n; ++i) {
      pairs.cell(0, i) = v.cell(i);
      pairs.cell(1, i) = b.cell(i, 0);
    }
    Fft(y, pairs);
  }
}
"""

def write(name, extents, values):
    Path(name).write_text(f"SIZE {' '.join(map(str, extents))}\n{' '.join(map(repr, values))}\n")

def read(name):
    return [float(v) for v in Path(name).read_text().split("\n", 1)[1].split()]

def compile(name, text):
    Path(name + ".pbcc").write_text(text)
    made = subprocess.run([PBC, name + ".pbcc", "-o", name], capture_output=True, text=True, timeout=120)
    assert made.returncode == 0, made.stderr
    return json.loads(subprocess.run(["./" + name, "--info"], capture_output=True, text=True).stdout)

def everywhere(info):
    """All rules with an entry, on the device."""
    text = ""
    for t in info["transforms"]:
        text += f'["{t["name"]}"]\nsequential_cutoff = 0\n'
        for s in t["sites"]:
            names = [a["name"] for a in s["alternatives"]]
            if "gpu_library" in names:
                text += f'{s["key"]} = "gpu_library"\nchoice = "{s["key"].removeprefix("place_")}"\n'
    return text

def run(name, config, files, outputs=1, devices="cuda:0", **env):
    Path("run.toml").write_text(config)
    results = [f"out{k}.txt" for k in range(outputs)]
    done = subprocess.run(["./" + name, "--config=run.toml", f"--devices={devices}", "--trace=trace.json", "--threads=2",
                           *files, *results], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PB_CUDA_DRIVER": DRIVER, "PB_CUDA_LIBRARIES": LIBRARIES, **env})
    assert done.returncode == 0, done.stderr
    trace = json.loads(Path("trace.json").read_text())
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    kinds = [e.get("cat") for e in events if e.get("ph") == "X"]
    run.longest = max([e["dur"] for e in events if e.get("cat") == "manage"], default=0)  # microseconds
    return [read(r) for r in results], kinds, done.stderr

def close(a, b):
    return len(a) == len(b) and all(abs(x - y) <= 1e-6 * (1 + abs(y)) for x, y in zip(a, b))

def main():
    n = 7
    numbers = random.Random(3)
    matrix = lambda count: [float(numbers.randint(-5, 5)) for _ in range(count)]
    a, b = matrix(n * n), matrix(n * n)
    for i in range(n):
        a[i * n + i] += 20
    write("a.txt", [n, n], a)
    write("b.txt", [n, n], b)
    write("layers.txt", [3, n, n], matrix(3 * n * n))

    # The product of a product: both inputs go to the device, the last output comes back, nothing else moves.
    info = compile("chain", CHAIN)
    right, _, _ = run("chain", "", ["a.txt", "b.txt"], devices="none")
    got, kinds, said = run("chain", everywhere(info), ["a.txt", "b.txt"])
    assert close(got[0], right[0]) and not said, said
    counts = [kinds.count(kind) for kind in ("kernel", "copy-in", "copy-out")]
    assert counts == [2, 2, 1], counts

    # Without the library, and on devices of another kind, the body computes it, and the program says so once.
    missing = "Blas runs on the processor: a test: cuBLAS is not on this machine: no libcublas.so.13 or older was found in /nowhere/"
    got, kinds, said = run("chain", everywhere(info), ["a.txt", "b.txt"], PB_CUDA_LIBRARIES="/nowhere")
    assert close(got[0], right[0]) and said.count(missing) == 1 and said.count("note") == 1, said
    got, kinds, said = run("chain", everywhere(info), ["a.txt", "b.txt"], devices="fake")
    assert close(got[0], right[0]) and said.count("the fake device has no cublas.gemm") == 1, said

    # So does a view that lies in memory as the library cannot take it.
    info = compile("layers", LAYERS)
    right, _, _ = run("layers", "", ["layers.txt", "b.txt"], devices="none")
    got, kinds, said = run("layers", everywhere(info), ["layers.txt", "b.txt"])
    assert close(got[0], right[0]) and "kernel" not in kinds, kinds
    assert f"`a` is a view with strides of 3 and {3 * n} numbers: the library needs one of them to be 1" in said, said

    # Nearly every entry, one after the other; what a function refuses in the middle is computed by the body.
    info = compile("all", ALL)
    right, _, _ = run("all", "", ["a.txt", "b.txt"], 3, devices="none")
    got, kinds, said = run("all", everywhere(info), ["a.txt", "b.txt"], 3)
    assert all(map(close, got, right)) and not said, said
    assert kinds.count("kernel") == 7, kinds
    # A plan of cuFFT that takes long does not keep the management thread.
    got, kinds, said = run("all", everywhere(info), ["a.txt", "b.txt"], 3, PB_TEST_SLOW_PLAN="700")
    assert all(map(close, got, right)) and kinds.count("kernel") == 7 and run.longest < 350_000, (said, run.longest)
    got, kinds, said = run("all", everywhere(info), ["a.txt", "b.txt"], 3, PB_TEST_REFUSE="trsm")
    assert all(map(close, got, right)), said
    assert said.count("cublasDtrsm ended with status 7") == 1 and kinds.count("kernel") == 5, (said, kinds)

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
