# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""rows.py THREADS ROUNDS: seconds of our functions and of NumPy's and SciPy's, in turns, as JSON."""
import json
import sys
import time

import numpy as np
import pbc
import scipy
from scipy.ndimage import gaussian_filter

THREADS, ROUNDS = int(sys.argv[1]), int(sys.argv[2])
PRODUCT = """#include <linalg.pbcc>
main transform MatMul from A[k, h], B[w, k] to C[w, h] { to(C c) from(A a, B b) { MatrixProduct(c, a, b); } }
transform Same from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }
"""
SORT = "#include <sort.pbcc>\nmain transform Sorted from A[n] to B[n] { to(B b) from(A a) { Sort(b, a); } }\n"
BLUR = "#include <convolution.pbcc>\nmain transform Blur from A[w, h], K[k] to B[w - k + 1, h - k + 1] { to(B b) from(A a, K kernel) { SeparableConvolution(b, a, kernel, kernel); } }\n"


def once(function):
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


REST = 0.5  # seconds after which the threads of NumPy's OpenBLAS no longer wait for work in a loop, in which they take a processor from others


def in_turns(ours, peer):
    """Seconds of both, each as often as takes 20 milliseconds, the medians of each round."""
    ours(), peer()
    again = max(1, min(1000, int(0.02 / max(once(peer), 1e-9))))
    samples = {ours: [], peer: []}
    for r in range(max(ROUNDS, 1)):
        for function in (ours, peer) if r % 2 == 0 else (peer, ours):
            time.sleep(REST)
            samples[function].append(sorted(once(function) for _ in range(again))[again // 2])
    return samples[ours], samples[peer]


def nanoseconds(function, calls=100000):
    def one():
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        return (time.perf_counter() - begin) / calls * 1e9
    return min(one() for _ in range(3))


def main():
    rng = np.random.default_rng(1)
    product, sort, blur = (pbc.compile(text, threads=THREADS) for text in (PRODUCT, SORT, BLUR))
    x, y = rng.random(4), np.zeros(4)
    calls = [{"name": "a call with one input of four numbers, its result allocated", "ns": nanoseconds(lambda: product.Same(x)), "bar": 3000},
             {"name": "the same into memory of the caller", "ns": nanoseconds(lambda: product.Same(x, out=y)), "bar": 3000},
             {"name": "NumPy's np.positive of it", "ns": nanoseconds(lambda: np.positive(x)), "bar": 0}]
    product.tune(size=1024, budget=8)
    sort.tune(size=1 << 20, budget=8)
    blur.tune(size={"w": 3012, "h": 2012, "k": 13}, budget=8)
    beside = []

    def add(name, against, ours, peer):
        seconds = in_turns(ours, peer)
        beside.append({"name": name, "against": against, "ours": seconds[0], "peer": seconds[1]})

    numpy = f"NumPy {np.__version__}"
    for n in (32, 64, 128, 256, 512, 1024, 2048):
        a, b = rng.random((n, n)), rng.random((n, n))
        add(f"product, {n} x {n}", numpy, lambda: product.MatMul(a, b), lambda: a @ b)
    for n in (1000, 100000, 1000000):
        v = rng.random(n)
        add(f"sort, {n}", numpy, lambda: sort.Sorted(v), lambda: np.sort(v))
    picture = rng.random((2000, 3000))
    weights = np.exp(-(np.arange(-6, 7) / 2.0) ** 2 / 2)
    weights /= weights.sum()
    add("blur, 3000 x 2000, 13 weights", f"SciPy {scipy.__version__} gaussian_filter", lambda: blur.Blur(np.pad(picture, 6, mode="edge"), weights),
        lambda: gaussian_filter(picture, 2, mode="nearest", radius=6))
    print(json.dumps({"calls": calls, "beside": beside}))


main()
