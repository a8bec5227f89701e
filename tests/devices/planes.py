#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stencils in three dimensions, whose items go through planes and keep what planes beside each other read: planes.py PBC.

The result is that of items with one point each, bit for bit, for sizes that are not multiples of anything, groups of several shapes,
and matrices whose rows begin at multiples of 16 bytes or not. DEVICE=opencl runs the same on PoCL.
"""
import os, re, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
COPY = "rule Border secondary to(B.cell(x, y, z) b) from(A.cell(x, y, z) a) { b = a; }"
SIX = "A.cell(x - 1, y, z) l, A.cell(x + 1, y, z) r, A.cell(x, y - 1, z) u, A.cell(x, y + 1, z) o, A.cell(x, y, z - 1) f, A.cell(x, y, z + 1) g"
FAR = "A.cell(x - 2, y, z) ll, A.cell(x + 2, y, z) rr, A.cell(x, y - 2, z) uu, A.cell(x, y + 2, z) oo, A.cell(x, y, z - 2) ff, A.cell(x, y, z + 2) gg"
LOOPS = "for (int k = 0; k < 3; ++k) for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) s += (i + 2 * j + 3 * k + 1) * a.cell(i, j, k); b = s;"
ALL = "A.region(x - 1, y - 1, z - 1, x + 2, y + 2, z + 2) a"
# The elements' type, further inputs, the rule, and rules of the border.
PROGRAMS = {
    "Seven": ("float", "", f"to(B.cell(x, y, z) b) from(A.cell(x, y, z) c, {SIX}) {{ b = c + 0.1f * (l + r + u + o + f + g - 6 * c); }}", COPY),
    "SevenOfDoubles": ("double", "", f"to(B.cell(x, y, z) b) from(A.cell(x, y, z) c, {SIX}) {{ b = 0.4 * c + 0.1 * (l + r + u + o + f + g); }}", COPY),
    "All": ("float", "", f"to(B.cell(x, y, z) b) from({ALL}) {{ float s = 0; {LOOPS} }}", COPY),
    "AllOfDoubles": ("double", "", f"to(B.cell(x, y, z) b) from({ALL}) {{ double s = 0; {LOOPS} }}", COPY),
    "Thirteen": ("float", "", f"to(B.cell(x, y, z) b) from(A.cell(x, y, z) c, {SIX}, {FAR}) {{ b = c + 0.1f * (l + r + u + o + f + g) - 0.01f * (ll + rr + uu + oo + ff + gg); }}", COPY),
    "OneSided": ("double", "", "to(B.cell(x, y, z) b) from(A.cell(x, y, z) c, A.cell(x + 1, y, z) r, A.cell(x, y - 2, z + 1) g, A.cell(x + 3, y, z) h) { b = c + 2 * r + 3 * g + 5 * h; }", COPY),
    "Variable": ("float", ", C[w, h, d] : float", f"to(B.cell(x, y, z) b) from(A.cell(x, y, z) c, {SIX}, C.cell(x, y, z) k) {{ b = k * (l + r + u + o + f + g - 6 * c); }}", COPY),
    "TwoMatrices": ("float", ", C[w, h, d] : float", f"to(B.cell(x, y, z) b) from({SIX}, C.cell(x, y - 1, z) p, C.cell(x, y + 1, z) q) {{ b = (p - q) * (l + r + u + o + f + g); }}", COPY),
    "Deep": ("float", ", C[w, h] : float", "to(B.cell(x, y, z) b) from(A.cell(x, y, z - 2) f, A.cell(x, y, z) c, A.cell(x, y, z + 3) g, C.cell(x, y) k) { b = k * (f + c - g); }", COPY),
    "Whole": ("int", "", f"to(B.cell(x, y, z) b) from(A.cell(x, y, z) c, {SIX}) {{ b = 3 * c + l + 2 * r + 5 * u + 7 * o + 11 * f + 13 * g; }}", COPY),
    "Optional": ("float", "", "to(B.cell(x, y, z) b) from(A.cell(x, y, z) c, A.cell(x - 1, y, z) l = 1, A.cell(x + 1, y, z) r = 2, A.cell(x, y - 1, z) u = 3, A.cell(x, y + 1, z) o = 5, "
                 "A.cell(x, y, z - 1) f = 7, A.cell(x, y, z + 1) g = 11) { b = c + 0.1f * (l + r + u + o + f + g); }", COPY),
    "Where": ("float", "", f"to(B.cell(x, y, z) b) from(A.cell(x, y, z) c, {SIX}) where(x < w - 1 && y > 1) {{ b = c + 0.1f * (l + r + u + o + f + g - 6 * c); }}", COPY),
    "Faces": ("float", "", f"to(B.cell(x, y, z) b) from(A.cell(x, y, z) c, {SIX}) {{ if (c > 0) b = l + r + f; else b = u + o + g; }}",
              "rule Front priority(0) to(B.cell(x, y, 0) b) from(A.cell(x, y, 0) a) { b = 2 * a; } rule Left secondary B.cell(0, y, z) from(A.cell(0, y, z) a) { return 3 * a; } "
              "rule Rest priority(3) B.cell(x, y, z) from() { return 7; }"),
}
SIZES = [(1, 1, 1), (2, 3, 5), (3, 3, 3), (5, 17, 2), (17, 33, 5), (33, 5, 17), (36, 18, 20), (140, 19, 9), (264, 35, 6)]
# The shape of a group, and the cells of an item; the first one is the default.
SHAPES = [(None, None), ((4, 2, 1), (4, 2, 3)), ((8, 2, 2), (4, 1, 5)), ((4, 4, 1), (3, 2, 64))]
DEVICE = os.environ.get("DEVICE", "fake")
ENVIRONMENT = {**os.environ, "PB_DEVICES": DEVICE, "PB_FAKE_DEVICE": "units=1"}
failed = []


def result(name, place, shape, size):
    group, cells = shape
    lines = [f"[{name}]", "sequential_cutoff = 0", f'place_Inside = "{place}"']
    for k, axis in enumerate("xyz"):
        lines += [f"group_{axis}_Inside = {group[k]}"] if group else []
        lines += [f"cells_{axis}_Inside = {cells[k]}"] if cells else []
    with open("p.toml", "w") as f:
        f.write("\n".join(lines) + "\n")
    sizes = [f"--size={n}={extent}" for n, extent in zip("whd", size)]
    done = subprocess.run(["./p", "--config=p.toml", f"--transform={name}", *sizes, "--n=1", "--seed=3", "--hash"],
                          capture_output=True, text=True, env=ENVIRONMENT, timeout=100)
    return done.stdout if done.returncode == 0 else done.stderr


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("p.pbcc", "w") as f:
        for name, (element, more, rule, border) in PROGRAMS.items():
            f.write(f"transform {name} from A[w, h, d] : {element}{more} to B[w, h, d] : {element} {{\n  rule Inside {rule}\n  {border}\n}}\n")
    subprocess.run([PBC, "p.pbcc", "-o", "p"], check=True)
    for number, name in enumerate(PROGRAMS):
        for size in SIZES:
            expected = result(name, "gpu", SHAPES[0], size)
            for shape in {SHAPES[0], SHAPES[1 + (number + size[0]) % 3]} if size[0] > 33 else {SHAPES[(number + size[0]) % 4]}:
                found = result(name, "gpu_registers", shape, size)
                if expected != found or not re.match("hash: 0x", found):
                    failed.append(f"{name} of {size} in groups and cells of {shape}: {expected} {found}")
print("\n".join(failed) or f"{len(PROGRAMS)} programs")
sys.exit(bool(failed))
