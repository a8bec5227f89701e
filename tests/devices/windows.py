#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows whose size is known only when the program runs, in memory of groups: windows.py PBC.

A kernel is built for each size. The results are those of the simplest version, bit for bit, for windows of one cell, even and odd ones, larger than a group,
and as large as the matrix. Sizes that are too large for a kernel or for the memory of a group take the simplest version, and the program
says so. DEVICE=opencl runs the same on PoCL.
"""
import os, re, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
PROGRAM = """
main transform Filter from A[n] : int, K[k] : int to B[n - k + 1] : int {
  rule point B.cell(x) from(A.region(x, x + k) a, K w) { int s = 0; for (int i = 0; i < k; ++i) s += a.cell(i) * w.cell(i); return s; }
}
transform Filter2 from A[n, m] : float, K[k, k] : float to B[n - k + 1, m - k + 1] : float {
  rule point B.cell(x, y) from(A.region(x, y, x + k, y + k) a, K w) {
    float s = 0;
    for (int j = 0; j < k; ++j) for (int i = 0; i < k; ++i) s += a.cell(i, j) * w.cell(i, j);
    return s;
  }
}
transform Blur param r from A[n, m] to B[n - 2 * r, m - 2 * r] {
  rule point B.cell(x, y) from(A.region(x, y, x + 2 * r + 1, y + 2 * r + 1) a) {
    double s = 0;
    for (int j = 0; j < 2 * r + 1; ++j) for (int i = 0; i < 2 * r + 1; ++i) s += a.cell(i, j);
    return s;
  }
}
transform Around param r from A[n, m] : int to B[n, m] : int {
  primary rule point B.cell(x, y) from(A.region(x - r, y, x + r + 1, y + 1) a) {
    int s = 0;
    for (int i = 0; i < 2 * r + 1; ++i) s += (i + 1) * a.cell(i, 0);
    return s;
  }
  secondary rule edge B.cell(x, y) from(A.cell(x, y) a) { return a; }
}
transform Highest from A[n], S[k] to B[n - k + 1] {
  rule point B.cell(x) from(A.region(x, x + k) a) {
    double most = a.cell(0);
    for (int i = 1; i < k; ++i) if (a.cell(i) > most) most = a.cell(i);
    return most;
  }
}
transform Apart from A[n], K[k], L[l] : int to B[(n - k - l) / 2] {
  rule point B.cell(x) from(A.region(2 * x, 2 * x + k + l) a, K w) { double s = 0; for (int i = 0; i < k; ++i) s += a.cell(i + l) * w.cell(i) - a.cell(i); return s; }
}
transform Many from A[n] : int, K[k] : int to B[n, k] : int {
  to(B b) from(A a, K w) {
    for (int i = 1; i <= k; ++i) {
      for (int x = 0; x < n; ++x) b.cell(x, i - 1) = 0;
      Filter(b.row(i - 1).region(0, n - i + 1), a, w.region(0, i));
    }
  }
}
"""
# Those of whole numbers, and the largest one of numbers, which the processor gives as well; products and sums of others may be done at once on a device.
EXACT = {"Filter", "Many", "Around", "Highest"}
# Params in front of sizes, by transform.
CASES = [("Filter", "n k", [(1, 1), (100, 1), (100, 2), (101, 3), (1000, 9), (333, 16), (333, 40), (1000, 700), (77, 77)]),
         ("Filter2", "n m k", [(5, 7, 1), (40, 30, 2), (41, 33, 3), (70, 50, 9), (64, 40, 16), (50, 45, 40), (12, 12, 12)]),
         ("Blur", "r n m", [(0, 9, 8), (1, 40, 30), (2, 41, 33), (7, 50, 47), (20, 60, 43)]),
         ("Around", "r n m", [(0, 9, 8), (1, 40, 30), (3, 41, 33), (20, 90, 5), (5, 7, 3)]),
         ("Highest", "n k", [(50, 1), (500, 2), (500, 31), (300, 300)]),
         ("Apart", "n k l", [(50, 1, 1), (500, 2, 7), (500, 31, 4), (300, 100, 100)])]
# Items of a group along x and y.
SHAPES = [None, (4, 2), (32, 1)]
DEVICE = os.environ.get("DEVICE", "fake")
failed = []
seen = {} # results, by transform: those for other sizes differ


def run(name, place, names, values, shape=None, fake="1"):
    steps = {"Around": ["point", "edge"]}.get(name, ["point"])
    lines = ["[Many]", "sequential_cutoff = 0", "[Filter]", "sequential_cutoff = 0"] if name == "Many" else [f"[{name}]", "sequential_cutoff = 0"]
    for step in steps:
        lines.append(f'place_{step} = "{place if step == "point" or place == "cpu" else "gpu"}"')
        for axis, items in zip("xy"[:1 if "m" not in names.split() else 2], shape or ()):
            lines.append(f"group_{axis}_{step} = {items}")
    with open("p.toml", "w") as f:
        f.write("\n".join(lines) + "\n")
    given = dict(zip(names.split(), values))
    done = subprocess.run(["./p", "--config=p.toml", f"--transform={name}", *(f"--size={n}={v}" for n, v in given.items()), "--n=1", "--seed=3", "--hash"],
                          capture_output=True, text=True,
                          env={**os.environ, "PB_DEVICES": DEVICE, "PB_FAKE_DEVICE": fake, "PB_DEVICE_COUNTERS": "1"}, timeout=100)
    return done.stdout if done.returncode == 0 else done.stderr, done.stderr


def launches(said):
    """How many there were, from the counters of a device."""
    return sum(int(n) for n in re.findall(r"(\d+) launches", said))


def check(name, names, values, shape=None):
    """The results of the version for this size, and that nothing else has run."""
    right, _ = run(name, "cpu" if name in EXACT else "gpu", names, values)
    found, said = run(name, "gpu_local", names, values, shape)
    seen.setdefault(name, set()).add(right)
    if launches(said) == 0 and DEVICE == "fake":
        failed.append(f"{name} {values}: nothing ran on the device: {said}")
    if right != found or not re.match("hash: 0x", found) or "simplest version" in said or "processor" in said:
        failed.append(f"{name} {values} in groups of {shape}: {right} {found} {said}")


def check_simplest(name, names, values, why, **more):
    right, _ = run(name, "cpu" if name in EXACT else "gpu", names, values)
    found, said = run(name, "gpu_local", names, values, **more)
    if right != found or not re.search("point runs in its simplest version on .*: " + why, said):
        failed.append(f"{name} {values}: {right} {found} {said}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("p.pbcc", "w") as f:
        f.write(PROGRAM)
    subprocess.run([PBC, "p.pbcc", "-o", "p"], check=True)
    for number, (name, names, sizes) in enumerate(CASES):
        for k, values in enumerate(sizes):
            check(name, names, values, SHAPES[(number + k) % 3])
    for name, _, sizes in CASES:
        if len(seen[name]) < len(set(sizes)):
            failed.append(f"{name}: results for {len(sizes)} sizes are {len(seen[name])} different ones")
    check_simplest("Filter", "n k", (3000, 1025), "its version `local` is built for each `k` from 1 to 1024, and it is 1025")
    check("Filter", "n k", (3000, 1024))
    if DEVICE == "fake":
        check_simplest("Filter2", "n m k", (64, 64, 30), "a group of its version `local` needs [0-9]+ bytes", fake="local=4096")
        # The 17th size takes the place of the first, whose kernel is built again.
        right, _ = run("Many", "cpu", "n k", (60, 20))
        found, said = run("Many", "gpu_local", "n k", (60, 20))
        if right != found or not re.match("hash: 0x", found) or "simplest version" in said or launches(said) < 20:
            failed.append(f"20 windows: {right} {found} {said}")
print("\n".join(failed) or f"{sum(len(sizes) for _, _, sizes in CASES)} windows")
sys.exit(bool(failed))
