#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that wait for each other, in blocks: solves.py PBC.

Solves of triangular systems in several spellings, from all sides, are the same bit for bit by one item for each column (`gpu`) and in
blocks of rows (`gpu_blocks`, `gpu_buffers`), for sizes that are not multiples of anything and blocks of several lengths. There are two
launches for each block, and one before them. Rules whose rows cannot be computed in blocks have no such version, and `pbc explain` says why.
DEVICE=opencl runs the same on PoCL.
"""
import json, os, re, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
ABOVE = "X.region(x, 0, x + 1, y) above"
# The elements' type, and the rules.
PROGRAMS = {
    "Down": ("float", f"Cells X.cell(x, y) from(A.row(y) a, B.cell(x, y) b, {ABOVE}) {{ float s = b; for (int k = 0; k < y; ++k) s -= a.cell(k) * above.cell(0, k); return s / a.cell(y); }}"),
    "Up": ("double", "Cells X.cell(x, y) from(A.row(y) a, B.cell(x, y) b, X.region(x, y + 1, x + 1, n) below) "
           "{ double s = b; for (int k = n - 1; k > y; --k) s -= a.cell(k) * below.cell(0, k - y - 1); return s / a.cell(y); }"),
    "Transposed": ("float", f"Cells X.cell(x, y) from(A.column(y) a, B.cell(x, y) b, {ABOVE}) {{ float s = b; for (int k = 0; k < y; ++k) s -= a.cell(k) * above.cell(0, k); return s; }}"),
    "Rightwards": ("float", "Cells X.cell(x, y) from(A.column(x) a, B.cell(x, y) b, X.region(0, y, x, y + 1) before) "
                   "{ float s = b; for (int k = 0; k < x; ++k) s -= before.cell(k, 0) * a.cell(k); return s / a.cell(x); }"),
    "Leftwards": ("double", "Cells X.cell(x, y) from(A.row(x) a, B.cell(x, y) b, X.region(x + 1, y, n, y + 1) behind) "
                  "{ double s = b; for (int k = n - 1; k > x; --k) s -= behind.cell(k - x - 1, 0) * a.cell(k); return s / a.cell(x); }"),
    "RightSums": ("double", "Cells to(X.cell(x, y) out) from(A.column(x) a, B.cell(x, y) b, X.region(0, y, x, y + 1) before) "
                  "{ double s = 0, d = a.cell(x); for (int k = 0; k < x; ++k) s = s + before.cell(k, 0) * a.cell(k); out = (b - s) / d; }"),
    "Planes": ("float", "Cells X.cell(x, y, z) from(A.row(x) a, B.cell(x, y, z) b, X.region(x + 1, y, z, n, y + 1, z + 1) behind) "
               "{ float s = b; for (int k = n - 1; k > x; --k) s -= behind.cell(k - x - 1, 0, 0) * a.cell(k); return s / a.cell(x); }"),
    "Sums": ("double", f"Cells to(X.cell(x, y) out) from(A.row(y) a, B.cell(x, y) b, {ABOVE}) {{ double s = 0, d = a.cell(y); for (int k = 0; k < y; ++k) s = s + a.cell(k) * above.cell(0, k); out = (b - s) / d; }}"),
    "InTheResult": ("float", f"Cells to(X.cell(x, y) out) from(A.row(y) a, B.cell(x, y) b, {ABOVE}) {{ out = b; for (int k = 0; k < y; ++k) out -= a.cell(k) * above.cell(0, k); out /= a.cell(y); }}"),
    "InDouble": ("float", f"Cells to(X.cell(x, y) out) from(A.row(y) a, B.cell(x, y) b, {ABOVE}) {{ double s = b; for (int k = 0; k < y; ++k) s -= a.cell(k) * above.cell(0, k); out = s / a.cell(y); }}"),
    "Whole": ("int", f"Cells X.cell(x, y) from(A.row(y) a, B.cell(x, y) b, {ABOVE}) {{ int s = b; for (int k = 0; k < y; ++k) s ^= a.cell(k) + 3 * above.cell(0, k); return s; }}"),
    "FirstRow": ("float", "First X.cell(x, 0) from(B.cell(x, 0) b) { return b; } rule Cells secondary X.cell(x, y) from(A.row(y) a, B.cell(x, y) b, "
                 f"{ABOVE}) {{ float s = b; for (int k = 0; k < y; ++k) s -= a.cell(k) * above.cell(0, k); return s / a.cell(y); }}"),
    # The other direction's limits depend on the row: a column has not all rows, or only those behind its own number.
    "Corner": ("float", f"Cells X.cell(x, y) from(A.row(y) a, {ABOVE}) where x + y < n {{ float s = 1; for (int k = 0; k < y; ++k) s += a.cell(k) * above.cell(0, k); return 2 * s; }} "
               "rule Others priority(3) X.cell(x, y) from() { return x + 3 * y; }"),
    "Behind": ("double", "Cells X.cell(x, y) from(A.row(x) a, X.region(0, y, x, y + 1) before) where x < y and x > 2 { double s = 0; for (int k = 0; k < x; ++k) s += a.cell(k) * before.cell(k, 0); return s - 1; } "
               "rule Others priority(3) X.cell(x, y) from() { return x - 2 * y; }"),
    "Above": ("float", "Cells X.cell(x, y) from(A.row(y) a, B.cell(x, y) b, X.region(x, y + 1, x + 1, n) below) where x <= y { float s = b; for (int k = n - 1; k > y; --k) s -= a.cell(k) * below.cell(0, k - y - 1); return s / a.cell(y); } "
              "rule Others priority(3) X.cell(x, y) from() { return x - 2 * y; }"),
}
# The extents of B and X, if these are not [m, n].
EXTENTS = {"Rightwards": "n, m", "Leftwards": "n, m", "RightSums": "n, m", "Planes": "n, m, 3", "Beside": "n, n"}
# What has no blocks: rows are added from the last one, columns are read beside the point's, a step reads two rows.
OTHERS = {
    "FromTheLast": ("float", f"Cells X.cell(x, y) from(A.row(y) a, B.cell(x, y) b, {ABOVE}) {{ float s = b; for (int k = y - 1; k >= 0; --k) s -= a.cell(k) * above.cell(0, k); return s / a.cell(y); }}"),
    "Beside": ("float", "Cells X.cell(x, y) from(A.row(y) a, B.cell(x, y) b, X.region(0, 0, n, y) above) { float s = b; for (int k = 0; k < y; ++k) s -= a.cell(k) * above.cell(n - 1 - x, k); return s; }"),
    "TwoRows": ("float", f"Cells X.cell(x, y) from(A.row(y) a, B.cell(x, y) b, {ABOVE}) {{ float s = b; for (int k = 1; k < y; ++k) s -= a.cell(k) * above.cell(0, k) * above.cell(0, k - 1); return s; }}"),
}
WHY = {"FromTheLast": "its sums do not add up the rows in the order in which these are computed", "TwoRows": "a step of the sum reads several rows"}
SIZES = [(1, 1), (5, 3), (33, 17), (70, 45), (96, 64)]
# Rows of a block; a group's items and an item's cells.
SHAPES = [(32, None, None), (8, (4, 2), (4, 2)), (13, (8, 4), (2, 3)), (64, (16, 8), (4, 4)), (80, None, None)]
DEVICE = os.environ.get("DEVICE", "fake")
ENVIRONMENT = {**os.environ, "PB_DEVICES": DEVICE, "PB_DEVICE_COUNTERS": "1"}
failed = []


def run(name, place, shape, size):
    rows, group, cells = shape
    lines = [f"[{name}]", "sequential_cutoff = 0", f'place_Cells = "{place}"', f"rows_Cells = {rows}"]
    for k, axis in enumerate("xy"):
        lines += [f"group_{axis}_Cells = {group[k]}"] if group else []
        lines += [f"cells_{axis}_Cells = {cells[k]}"] if cells else []
    with open("p.toml", "w") as f:
        f.write("\n".join(lines) + "\n")
    sizes = [f"--size={n}={extent}" for n, extent in zip("nm", size)]
    done = subprocess.run(["./p", "--config=p.toml", f"--transform={name}", *sizes, "--n=1", "--seed=3", "--hash"],
                          capture_output=True, text=True, env=ENVIRONMENT, timeout=100)
    launches = sum(int(found) for found in re.findall(r"(\d+) launches", done.stderr))
    hashes = re.findall("hash: 0x[0-9a-f]+", done.stdout)
    return (hashes[0], launches) if hashes and "simplest" not in done.stderr else (done.stdout + done.stderr, launches)


def source(name, element, rules):
    extents = EXTENTS.get(name, "m, n")
    return f"transform {name} from A[n, n] : {element}, B[{extents}] : {element} to X[{extents}] : {element} {{\n  rule {rules}\n}}\n"


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("p.pbcc", "w") as f:
        for name, (element, rules) in {**PROGRAMS, **OTHERS}.items():
            f.write(source(name, element, rules))
    subprocess.run([PBC, "p.pbcc", "-o", "p"], check=True)
    information = json.loads(subprocess.run(["./p", "--info"], capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout)
    for transform in information["transforms"]:
        has = any("gpu_blocks" in json.dumps(s) for s in transform.get("sites", transform.get("choices", [])))
        if transform["name"] in PROGRAMS and not has or transform["name"] in OTHERS and has:
            failed.append(f"{transform['name']}: {'a' if has else 'no'} version in blocks")
    explained = subprocess.run([PBC, "explain", "p.pbcc"], capture_output=True, text=True, check=True).stdout.split("transform ")
    for name, why in WHY.items():
        if not any(text.startswith(name) and f"no blocks of rows: {why}\n" in text for text in explained):
            failed.append(f"{name} is not explained")
    for number, name in enumerate(PROGRAMS):
        for size in SIZES:
            shape = SHAPES[(number + size[0]) % 5]
            expected, _ = run(name, "gpu", shape, size)
            place = "gpu_buffers" if (number + size[1]) % 3 == 0 and shape[1] else "gpu_blocks"
            found, launches = run(name, place, shape, size)
            if expected != found or not re.match("hash: 0x", found):
                failed.append(f"{name} of {size} in {place} of {shape}: {expected} {found}")
            rows = size[1] if name == "Behind" else size[0]
            blocks = (rows + shape[0] - 1) // shape[0]
            if name != "FirstRow" and (name != "Behind" or rows > 3) and launches != 2 * blocks:
                failed.append(f"{name} of {size} in blocks of {shape[0]} rows: {launches} launches, not {2 * blocks}")
print("\n".join(failed) or f"{len(PROGRAMS)} programs")
sys.exit(bool(failed))
