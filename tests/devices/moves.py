#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is copied between the processor and a device, and who computes what: moves.py PBC.

Requirements 21, 26 to 34, 56 and 65 to 70 of petabricks-hetero 10, by the counters (PB_DEVICE_COUNTERS) and the
trace of programs on the fake device.
"""
import json, os, re, subprocess, sys, tempfile
from pathlib import Path

PBC = os.path.abspath(sys.argv[1])
PROGRAM = """
main transform Moves
from A[w, h]
to D[w, h]
through B[w, h]
{
  rule first B.cell(x, y) from(A.cell(x, y) a) { return a + a; }
  rule second D.cell(x, y) from(B.cell(x, y) b, A.cell(x, y) a) { return b + a; }
}

transform Stencil
from A[w, h]
to B[w, h]
{
  rule inner B.cell(x, y) from(A.region(x-2, y-2, x+3, y+3) a) {
    ElementT s = 0;
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 5; ++i) s += a.cell(i, j);
    return s;
  }
  secondary rule edge B.cell(x, y) from(A.cell(x, y) a) { return a; }
}

transform Readers
from A[w, h]
to C[w, h], D[w, h], E[w, h]
through B[w, h]
{
  rule first B.cell(x, y) from(A.cell(x, y) a) { return a + a; }
  rule second C.cell(x, y) from(B.cell(x, y) b) { return b + 1; }
  rule third D.cell(x, y) from(B.cell(x, y) b) { return b + 2; }
  rule fourth E.cell(x, y) from(B.cell(x, y) b, C.cell(x, y) c) { return b + c; }
}

transform Pairs
from A[w, h], B[w, h]
to C[w, h], D[w, h]
{
  rule one C.cell(x, y) from(A.cell(x, y) a) { return a + 1; }
  rule two D.cell(x, y) from(B.cell(x, y) b) { return b + 2; }
}

transform Twice
from A[w, h]
to B[w, h], C[w, h]
{
  to(B b, C c) from(A a) {
    Double(b, a);
    Double(c, a);
  }
}

transform Changed
from A[w, h]
to B[w, h], C[w, h]
{
  to(B b, C c) from(A a) using(x[w, h]) {
    Copy(x, a);
    Double(b, x);
    Zero(x);
    Double(c, x);
  }
}

transform PartlyChanged
from A[w, h]
to B[w, h], C[w, h]
{
  to(B b, C c) from(A a) using(x[w, h]) {
    Copy(x, a);
    Double(b, x);
    Zero(x.region(0, 3, w, 5));
    Double(c, x);
  }
}

transform Double
from A[w, h]
to B[w, h]
{
  rule twice B.cell(x, y) from(A.cell(x, y) a) { return a + a; }
}

transform Copy
from A[w, h]
to B[w, h]
{
  rule copy B.cell(x, y) from(A.cell(x, y) a) { return a; }
}

transform Zero
to B[w, h]
{
  rule zero B.cell(x, y) from() { return 0; }
}
"""
WORDS = ["launches", "in", "bytes in", "out", "bytes out", "allocations", "evictions", "buffers", "bytes", "resting", "locked", "graphs", "chains"]

def run(config, *words, fake="1", devices="fake"):
    Path("moves.toml").write_text(config)
    done = subprocess.run(["./moves", "--config=moves.toml", "--hash", "--threads=2", f"--devices={devices}", *words],
                          capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PB_FAKE_DEVICE": fake, "PB_DEVICE_COUNTERS": "1"})
    assert done.returncode == 0, done.stderr
    m = re.search(r": (\d+) launches, (\d+) copies in \((\d+) bytes\), (\d+) copies out \((\d+) bytes\), (\d+) allocations, "
                  r"(\d+) evictions, (\d+) buffers left \((\d+) bytes\), (\d+) bytes at rest, (\d+) bytes locked, (\d+) graphs given (\d+) times", done.stderr)
    return done.stdout, dict(zip(WORDS, map(int, m.groups()))) if m else None, done.stderr

def moves(first, second, more=""):
    return f'[Moves]\nsequential_cutoff = 0\nplace_first = "{first}"\nplace_second = "{second}"\n{more}'

def stencil(place, more=""):
    return f'[Stencil]\nsequential_cutoff = 0\nplace_inner = "{place}"\nplace_edge = "gpu"\n{more}'

def double(caller, place):
    return f'[{caller}]\nsequential_cutoff = 0\n[Double]\nsequential_cutoff = 0\nplace_twice = "{place}"\n'

def lanes(config, fake, *words):
    """Spans (begin, end) of kernels, copies and tasks of workers in a run's trace."""
    run(config, "--trace=trace.json", *words, fake=fake)
    spans = {}
    trace = json.loads(Path("trace.json").read_text())
    for e in trace["traceEvents"] if isinstance(trace, dict) else trace:
        if e.get("ph") == "X":
            spans.setdefault(e.get("cat"), []).append((e["ts"], e["ts"] + e["dur"]))
    return spans

def overlap(some, others):
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in some for b in others)

def main():
    right, none, _ = run(moves("cpu", "cpu"), "--n=64")
    assert none is None, none  # 65: no device is opened
    bytes = 64 * 64 * 8
    # 27, 30, 34: the chain moves A once and D; B is not read elsewhere and stays on the device.
    got, c, _ = run(moves("gpu", "gpu"), "--n=64")
    assert got == right and (c["launches"], c["in"], c["bytes in"], c["out"], c["bytes out"]) == (2, 1, bytes, 1, bytes), c
    # 26, 28: what the processor reads next comes back once.
    got, c, _ = run(moves("gpu", "cpu"), "--n=64")
    assert got == right and (c["launches"], c["bytes in"], c["out"], c["bytes out"]) == (1, bytes, 1, bytes), c
    got, c, _ = run(moves("cpu", "gpu"), "--n=64")
    assert got == right and (c["launches"], c["bytes in"], c["bytes out"]) == (1, 2 * bytes, bytes), c
    # 66, 67: the first rows are the device's, rounded up; 0 is the processor alone, and asks for nothing.
    for n in (8, 64, 100):
        right, _, _ = run(moves("cpu", "cpu"), f"--n={n}")
        for ratio in (0, 1, 8, 13, 32, 63, 64):
            got, c, _ = run(moves("gpu", "gpu", f"gpu_ratio = {ratio}\n"), f"--n={n}")
            rows = (n * ratio + 63) // 64
            assert got == right, (n, ratio)
            assert c["bytes out"] >= rows * n * 8 if ratio else c["launches"] == 0, (n, ratio, c)
    # 67, 69: every row once, halos right, for all sizes.
    for n in [*range(0, 40), 63, 64, 65, 127, 128, 129, 199, 200]:
        right, _, _ = run(stencil("cpu").replace('"gpu"', '"cpu"'), "--transform=Stencil", f"--n={n}")
        for ratio in (1, 24, 63) if n < 70 else (24,):
            got, c, said = run(stencil("gpu", f"gpu_ratio = {ratio}\n"), "--transform=Stencil", f"--n={n}")
            assert got == right, (n, ratio, said)
    # 21: a tile that does not fit takes the version in global memory, and says nothing.
    right, _, _ = run(stencil("gpu"), "--transform=Stencil", "--n=64")
    got, c, said = run(stencil("gpu_local", "group_x_inner = 32\n"), "--transform=Stencil", "--n=64", fake="local=64")
    assert got == right and c["launches"] >= 1 and "processor" not in said, (c, said)
    # 18: bit for bit the same from local memory, where the sums have the same operations.
    for n, group in (64, ""), (61, "group_x_inner = 8\ngroup_y_inner = 4\n"), (5, "group_x_inner = 3\n"):
        right, _, _ = run(stencil("gpu", group), "--transform=Stencil", f"--n={n}")
        got, c, said = run(stencil("gpu_local", group), "--transform=Stencil", f"--n={n}")
        assert got == right and c["launches"] >= 1 and "version" not in said and "processor" not in said, (n, c, said)
    # 29: what a device and two steps on the processor read is copied once each way.
    words = ["--transform=Readers", "--n=64"]
    readers = "[Readers]\nsequential_cutoff = 0\n"
    right, _, _ = run(readers, *words)
    got, c, _ = run(readers + 'place_first = "gpu"\nplace_second = "gpu"\n', *words)
    assert got == right and (c["launches"], c["in"], c["bytes in"], c["bytes out"]) == (2, 1, bytes, 2 * bytes), c
    # 26: what the processor reads too is on its way back while the device goes on with it.
    spans = lanes(readers + 'place_first = "gpu"\nplace_second = "gpu"\n', "speed=0.02", "--transform=Readers", "--n=700")
    assert len(spans["kernel"]) == 2 and min(spans["copy-out"])[0] < max(spans["kernel"])[1], spans
    # 31: what has not changed since the device got it is not copied again.
    for name, copies, least in ("Twice", 1, bytes), ("Changed", 2, 2 * bytes), ("PartlyChanged", 2, bytes + 2 * 64 * 8):
        # 32, 33: what the processor wrote meanwhile is, and at least that part.
        right, _, _ = run(double(name, "cpu"), f"--transform={name}", "--n=64")
        got, c, _ = run(double(name, "gpu"), f"--transform={name}", "--n=64")
        assert got == right and (c["launches"], c["in"]) == (2, copies) and least <= c["bytes in"] <= copies * bytes, (name, c)
    # 68: all rules of a transform have the same ratio: what a step leaves on its side is what the next one needs there.
    for ratio in (1, 16, 63):
        got, c, _ = run(moves("gpu", "gpu", f"gpu_ratio = {ratio}\n"), "--n=64")
        assert (c["launches"], c["bytes in"], c["bytes out"]) == (2, bytes * ratio // 64, bytes * ratio // 64), (ratio, c)
    # 56: copies of one kernel's data beside the other kernel.
    for _ in range(5):
        spans = lanes('[Pairs]\nsequential_cutoff = 0\nplace_one = "gpu"\nplace_two = "gpu"\n', "speed=0.05 bandwidth=200M",
                      "--transform=Pairs", "--n=500")
        copies = [s for name in ("copy-in", "copy-out") for s in spans.get(name, [])]
        if overlap(spans["kernel"], copies) > 0:
            break
    assert len(spans["kernel"]) == 2 and overlap(spans["kernel"], copies) > 0, {k: len(v) for k, v in spans.items()}
    # 70: both sides at once.
    for _ in range(5):  # a busy machine may run one after the other
        spans = lanes(moves("gpu", "cpu", "gpu_ratio = 8\n"), "speed=0.05", "--n=2000")
        if overlap(spans["kernel"], spans.get("work", [])) > 0:
            break
    assert "kernel" in spans and overlap(spans["kernel"], spans.get("work", [])) > 0, {k: len(v) for k, v in spans.items()}
    print("moves: as expected")

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ.setdefault("PB_KERNEL_CACHE", folder)
    Path("moves.pbcc").write_text(PROGRAM)
    subprocess.run([PBC, "moves.pbcc", "-o", "moves"], check=True, timeout=100)
    main()
