# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Two products of a chain fused against one after the other: processor time, and bytes that a cache fetches.

Chains of three matrices from the distribution of the model's experiment (`pbc model chain --experiment`); only those for
which the model predicts that fusing moves more than 10 % less, in the order of fewest operations, with half of the
second cache as its fast memory. Time is processor time of one thread, both in turns in one process. Bytes are
misses of the second cache in a simulation (valgrind's cachegrind; programs without AVX-512, which it does not know),
less those of making the matrices; what is written back is not counted."""
import json
import random
import re
import shutil
import statistics
from pathlib import Path
from samples import call, row, shown

HERE = Path(__file__).resolve().parent
CHAINS, SIMULATED = 20, 4


def predicted(pbc, sizes, words):
    """What fusing saves by the exact counts, and the side on which the first product is."""
    answer = json.loads(call(pbc, "model", "movement", *sizes, f"--memory={words}", "--json"))
    figures = {f["name"]: f["value"] for f in answer["figures"]}
    side = "left" if figures["order of fewest operations"] == "(A1 A2) A3" else "right"
    ways = {r[0]: r[1] for r in answer["tables"][0]["rows"]}
    return 1 - ways[f"{side}, fused"] / ways[f"{side}, one by one"], side


def chains(pbc, words):
    source = random.Random(20)
    found, tried = [], 0
    while len(found) < CHAINS:
        sizes = [source.randrange(320, 1025, 8) for _ in range(4)]
        gain, side = predicted(pbc, sizes, words)
        tried += 1
        if gain > 0.1:
            found.append((sizes, side, gain))
    print(f"  the model predicts more than 10 % in {CHAINS} of {tried} chains, with {words} words", flush=True)
    return found


def measure(tools):
    program, plain = tools.work / "chain", tools.work / "chain_avx2"
    call(tools.pbc, HERE / "chain.pbcc", "-o", program)
    cache = json.loads(call(program, "--info"))["machine"]["l2"]
    unused = tools.work / "unused.txt"
    unused.write_text("SIZE\n0\n")

    def run(binary, sizes, side, mode, rounds, *before):
        return call(*before, binary, "--noconfig", "--threads=1", *sizes, int(side == "right"), mode, rounds, unused, tools.work / "difference.txt")

    cases = chains(tools.pbc, cache // 16)
    faster = 0
    for sizes, side, gain in cases:
        text = run(program, sizes, side, 0, 2 * tools.rounds + 1)
        times = [[float(x) for x in pair] for pair in re.findall(r"one by one (\S+) fused (\S+)", text)]
        if float((tools.work / "difference.txt").read_text().split()[-1]) > 1e-12:
            raise SystemExit(f"bench/run: fused and plain products of {sizes} differ")
        ratio = statistics.median(a / b for a, b in times)
        one, fused = (statistics.median(t[i] for t in times) for i in (0, 1))
        best = min(t[0] for t in times) / min(t[1] for t in times)
        faster += ratio > 1
        row(f"chain: {'x'.join(map(str, sizes))}, {side}, {gain:.0%} predicted", shown(fused), shown(one),
            f"{ratio:.3f} ({best:.3f}) times as fast", "", None)
    row(f"chain: faster where the model predicts more than 10 %", f"{faster} of {len(cases)}", "", "", "1/3", faster >= len(cases) / 3)

    if not shutil.which("valgrind"):
        row("chain: bytes from a simulated cache", "no valgrind", "", "", "< 1", None)
        return
    call(tools.pbc, HERE / "chain.pbcc", "--cpu=haswell", "-o", plain)

    def fetched(sizes, side, mode):
        text = run(plain, sizes, side, mode, 1, "valgrind", "--tool=cachegrind", "--cache-sim=yes", "--D1=49152,12,64",
                   f"--LL={cache},16,64", "--cachegrind-out-file=/dev/null")
        return 64 * int(re.search(r"LLd misses:\s+([\d,]+)", text)[1].replace(",", ""))

    ratios = []
    for sizes, side, gain in cases[:SIMULATED]:
        nothing, one, fused = (fetched(sizes, side, mode) for mode in (3, 1, 2))
        ratios.append((fused - nothing) / (one - nothing))
        row(f"chain: bytes of {'x'.join(map(str, sizes))}, {side}, {gain:.0%} predicted", f"{(fused - nothing) / 2**20:.1f} MiB",
            f"{(one - nothing) / 2**20:.1f} MiB", f"{ratios[-1]:.3f}", "", None)
    row("chain: bytes from a simulated cache, median", "", "", f"{statistics.median(ratios):.3f}", "< 1", statistics.median(ratios) < 1)
