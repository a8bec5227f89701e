#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The edges of matrices, which are launched side by side where the box around them has many more points: edges.py PBC.

The results are the processor's, bit for bit; a small matrix has one launch for its edge, a large one as many as it has sides.
DEVICE=opencl runs the same on PoCL.
"""
import json, math, os, re, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
PROGRAM = """
transform Plate from A[w, h] : int to B[w, h] : int {
  primary rule inside B.cell(x, y) from(A.cell(x - 1, y) l, A.cell(x + 1, y) r, A.cell(x, y - 1) u, A.cell(x, y + 1) d) { return l + 2 * r + 3 * u - d; }
  secondary rule edge B.cell(x, y) from(A.cell(x, y) a) { return a + 7; }
}
transform Wide from A[w, h] : int to B[w, h] : int {
  primary rule inside B.cell(x, y) from(A.cell(x - 3, y) l, A.cell(x, y + 5) d) { return l - d; }
  secondary rule edge B.cell(x, y) from(A.cell(x, y) a) { return -a; }
}
transform Cube from A[w, h, d] : int to B[w, h, d] : int {
  primary rule inside B.cell(x, y, z) from(A.cell(x - 1, y, z) l, A.cell(x + 1, y, z) r, A.cell(x, y - 1, z) u, A.cell(x, y + 1, z) v,
                                          A.cell(x, y, z - 1) f, A.cell(x, y, z + 1) b) { return l + 2 * r + 3 * u - v + 5 * f - b; }
  secondary rule edge B.cell(x, y, z) from(A.cell(x, y, z) a) { return a + 7; }
}
"""
# transform, sizes, launches of the edge
# Groups fit the parts: all of them have no more than so many times as many items as there are cells, which have one each.
MOST_ITEMS = 1.5
CASES = [("Plate", (3, 3), 1), ("Plate", (1, 900), 1), ("Plate", (500, 500), 1), ("Plate", (800, 700), 4), ("Plate", (3, 300000), 1), ("Plate", (700, 1001), 4),
         ("Wide", (40, 30), 1), ("Wide", (701, 702), 2), ("Cube", (5, 4, 3), 1), ("Cube", (90, 101, 110), 6)]
DEVICE = os.environ.get("DEVICE", "fake")
failed = []

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("p.pbcc", "w") as f:
        f.write(PROGRAM)
    subprocess.run([PBC, "p.pbcc", "-o", "p"], check=True)
    for name, size, launches in CASES:
        sizes = [f"--size={n}={extent}" for n, extent in zip("whd", size)]
        results = []
        for place in ("cpu", "gpu", "gpu_registers"):
            with open("p.toml", "w") as f:
                f.write(f'[{name}]\nsequential_cutoff = 0\nplace_inside = "{place}"\nplace_edge = "{place}"\n')
            done = subprocess.run(["./p", "--config=p.toml", f"--transform={name}", *sizes, "--n=1", "--seed=3", "--hash", "--trace=t.json"],
                                  capture_output=True, text=True, env={**os.environ, "PB_DEVICES": DEVICE}, timeout=100)
            results.append(done.stdout + done.stderr)
            events = json.load(open("t.json"))["traceEvents"] if done.returncode == 0 and place != "cpu" else []
            given = sum(e.get("cat") == "kernel" and e["name"] == "edge" for e in events)
            if place != "cpu" and given != launches:
                failed.append(f"{name} {size} {place}: {given} launches for the edge, and not {launches}")
        if len(set(results)) != 1:
            failed.append(f"{name} {size}: {results}")
    # Only the edge is on the device: its cells, in groups of 32 x 8, 256 x 1 and 1 x 256 items and the like.
    for name, size in (("Plate", (2000, 1500)), ("Cube", (130, 140, 120))):
        with open("p.toml", "w") as f:
            f.write(f'[{name}]\nsequential_cutoff = 0\nplace_inside = "cpu"\nplace_edge = "gpu"\n')
        sizes = [f"--size={n}={extent}" for n, extent in zip("whd", size)]
        done = subprocess.run(["./p", "--config=p.toml", f"--transform={name}", *sizes, "--n=1", "--seed=3", "--hash"], capture_output=True, text=True,
                              env={**os.environ, "PB_DEVICES": DEVICE, "PB_DEVICE_COUNTERS": "1"}, timeout=100)
        all_cells, inside = math.prod(size), math.prod(extent - 2 for extent in size)
        items = re.search(r", (\d+) work-items", done.stderr)
        if not items or not all_cells - inside <= int(items[1]) <= MOST_ITEMS * (all_cells - inside):
            failed.append(f"{name} {size}: {all_cells - inside} cells of the edge: {done.stderr}")
print("\n".join(failed) or f"{len(CASES)} edges are right")
sys.exit(bool(failed))
