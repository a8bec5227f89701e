# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Samples of two programs that take turns, and the table that comes of them. What the parts of bench/run share."""
import functools
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
rows, busy = [], []
patience = [0.0]  # seconds to wait, at most, before each sample for others to finish
deadline = [float("inf")]  # of this part, by time.monotonic()


class PartIsOver(Exception):
    """The time of a part of bench/run is over: what it has measured stands."""


def call(*command, **options):
    if time.monotonic() > deadline[0]:
        raise PartIsOver
    r = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if r.returncode:
        sys.exit(f"bench/run: {' '.join(map(str, command))} ended with {r.returncode}:\n{r.stdout}{r.stderr}")
    return r.stdout + r.stderr


def seconds(*command, of="time", **options):
    """What a program prints as "time: X s", or as "processor: X s"."""
    return float(re.search(rf"^{of}: (\S+) s", call(*command, **options), re.M)[1])


def ticks_of_all():
    """Processor time that the whole machine has used, in seconds."""
    fields = [int(x) for x in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return (sum(fields[:8]) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def wait_for_quiet():
    end = time.monotonic() + patience[0]
    while time.monotonic() < end:
        before = ticks_of_all()
        time.sleep(0.2)
        if (ticks_of_all() - before) / 0.2 / os.cpu_count() < 0.1:
            return


def disturbed(measurement):
    """A sample, and the share of the machine that others used meanwhile."""
    wait_for_quiet()

    def ours():
        r = resource.getrusage(resource.RUSAGE_CHILDREN)
        return r.ru_utime + r.ru_stime
    begin, mine, everybody = time.monotonic(), ours(), ticks_of_all()
    sample = measurement()
    passed = time.monotonic() - begin
    return sample, max(0, ticks_of_all() - everybody - (ours() - mine)) / passed / os.cpu_count()


def in_turns(rounds, *measurements):
    """Samples of each measurement; odd rounds go through them backwards. Rounds in which others used the machine
    are left out where enough quiet ones remain."""
    every = []
    for k in range(rounds):
        order = list(range(len(measurements)))
        row = {i: disturbed(measurements[i]) for i in order[:: 1 if k % 2 == 0 else -1]}
        every.append([row[i] for i in order])
    quiet = [r for r in every if all(others < 0.1 for _, others in r)]
    busy.append(1 - len(quiet) / rounds)
    kept = quiet if len(quiet) >= 3 else every
    return [[r[i][0] for r in kept] for i in range(len(measurements))]


def shown(t):
    for unit, size in (("s ", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        if t >= size or unit == "ns":
            return f"{t / size:.3g} {unit}"


def row(name, ours, peer, ratio, bar, reached):
    rows.append((name, ours, peer, ratio, bar, {None: "", True: "yes", False: "NO"}.get(reached, reached)))
    print("  " + " | ".join(x for x in rows[-1] if x), flush=True)


def verdict(by_median, by_best):
    return "yes" if by_median and by_best else "unclear" if by_median or by_best else "NO"


class Limits:
    """What the machine can do, measured when it is first asked for (limits.cpp)."""

    def __init__(self, tools):
        self.program = tools.work / "limits"
        if not self.program.exists():
            call("clang++-19", "-std=c++20", "-O3", "-march=native", "-pthread", ROOT / "bench" / "limits.cpp", "-o", self.program)

    @functools.cache
    def operations(self, element):
        """Multiplications and additions of a core, in a second."""
        return 1e9 * max(float(x) for x in call(self.program, element).split())

    @functools.cache
    def bytes(self, threads):
        """Read and written in a second."""
        return 1e9 * max(float(x) for x in call(self.program, "memory", threads).split())

    def share(self, seconds, threads, moved=0, operations=0, element="double"):
        """How near the limits something comes that moves so many bytes, at least, and computes so much."""
        parts = []
        if moved:
            parts.append(f"{moved / seconds / self.bytes(threads):.0%} of the bandwidth")
        if operations:
            parts.append(f"{operations / seconds / self.operations(element) / threads:.0%} of the peak")
        return ", ".join(parts)


def compared(name, ours, peer, bar=None, share=None, against=None, remark=""):
    """ours and peer: samples in seconds. The bar: how many times the peer's time is allowed. share(seconds): of
    the machine's limits, as text, said of both. against: the peer with its version; remark: what must be known of it."""
    ratio = statistics.median(ours) / statistics.median(peer)
    best = min(ours) / min(peer)
    both = [shown(statistics.median(x)) + (f" ({share(statistics.median(x))})" if share else "") for x in (ours, peer)]
    row(name, both[0], f"{against}: {both[1]}{remark}" if against else both[1], f"{ratio:.2f} ({best:.2f})",
        f"<= {bar}" if bar else "-", bar and verdict(ratio <= bar, best <= bar))
