#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores of 16 bytes in the machine code of maps and stencils, whichever way they are written, hardly any cell loaded twice,
and a product without conflicts of banks: widths.py PBC.

No GPU is needed, but NVRTC: without it the test is skipped.
"""
import json, subprocess, sys, tempfile
from pathlib import Path

PBC, NOTHING_TO_TEST = sys.argv[1], 77
BORDER = "secondary to(B.cell(x, y) b) from(A.cell(x, y) a) { b = a; }"
FIVE = "A.cell(x, y) c, A.cell(x - 1, y) l, A.cell(x + 1, y) r, A.cell(x, y - 1) u, A.cell(x, y + 1) d"
BORDER3 = "secondary to(B.cell(x, y, z) b) from(A.cell(x, y, z) a) { b = a; }"
SEVEN = "A.cell(x, y, z) c, A.cell(x - 1, y, z) l, A.cell(x + 1, y, z) r, A.cell(x, y - 1, z) u, A.cell(x, y + 1, z) o, A.cell(x, y, z - 1) f, A.cell(x, y, z + 1) g"
# The inputs, the rule of B, and how many bytes of a point its first step must load and store at least.
PROGRAMS = {
    "map": ("A[w, h] : float, C[w, h] : float", "B.cell(x, y) from(A.cell(x, y) a, C.cell(x, y) c) { return 2 * a + c; }", 12),
    "map in one dimension": ("A[w] : double", "B.cell(x) from(A.cell(x) a) { return a * a; }", 16),
    "map with a scalar": ("A[w, h] : float, s", "B.cell(x, y) from(A.cell(x, y) a, s t) { return a * (float)t; }", 8),
    "map of rows": ("A[w, h] : float, C[w] : float", "B.cell(x, y) from(A.cell(x, y) a, C.cell(x) c) { return a * c; }", 8),
    "stencil": ("A[w, h] : float", f"to(B.cell(x, y) b) from({FIVE}) {{ b = 0.2f * (c + l + r + u + d); }} {BORDER}", 8),
    "stencil of doubles": ("A[w, h]", f"to(B.cell(x, y) b) from({FIVE}) {{ b = c + 0.1 * (l + r + u + d); }} {BORDER}", 16),
    "stencil by loops": ("A[w, h] : float", "to(B.cell(x, y) b) from(A.region(x - 1, y - 1, x + 2, y + 2) a) { float s = 0; for (int j = 0; j < 3; ++j) "
                         "for (int i = 0; i < 3; ++i) s += a.cell(i, j); b = s; } " + BORDER, 8),
    "stencil of two matrices": ("A[w, h] : float, C[w, h] : float", "to(B.cell(x, y) b) from(A.region(x - 1, y - 1, x + 2, y + 2) a, C.cell(x, y) c) "
                                "{ b = c * (a.cell(0, 0) + a.cell(2, 2) + a.cell(1, 1)); } " + BORDER, 12),
    "stencil with a condition": ("A[w, h] : float", f"to(B.cell(x, y) b) from({FIVE}) {{ if (c > 0) b = l + r; else b = u + d; }} {BORDER}", 8),
    "stencil of optional cells": ("A[w, h] : float", "to(B.cell(x, y) b) from(A.cell(x, y) c, A.cell(x - 1, y) l = 0, A.cell(x + 1, y) r = 1, A.cell(x, y - 1) u = 0, A.cell(x, y + 1) d = 2) "
                                  "{ b = c + 0.1f * (l + r + u + d); }", 8),
    "stencil ahead": ("A[w, h] : float", "to(B.cell(x, y) b) from(A.cell(x + 2, y) a, A.cell(x + 5, y + 1) c) { b = a - c; } " + BORDER, 8),
    "stencil in three dimensions": ("A[w, h, d] : float", f"to(B.cell(x, y, z) b) from({SEVEN}) {{ b = c + 0.1f * (l + r + u + o + f + g); }} {BORDER3}", 8),
    "stencil of doubles in three dimensions": ("A[w, h, d]", f"to(B.cell(x, y, z) b) from({SEVEN}) {{ b = c + 0.1 * (l + r + u + o + f + g); }} {BORDER3}", 16),
    "stencil of all neighbours in three dimensions": ("A[w, h, d] : float", "to(B.cell(x, y, z) b) from(A.region(x - 1, y - 1, z - 1, x + 2, y + 2, z + 2) a) { float s = 0; for (int k = 0; k < 3; ++k) "
                                                      "for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) s += (i + 2 * j + k) * a.cell(i, j, k); b = s; } " + BORDER3, 8),
    "stencil with coefficients in three dimensions": ("A[w, h, d] : float, C[w, h, d] : float", f"to(B.cell(x, y, z) b) from({SEVEN}, C.cell(x, y, z) k) {{ b = k * (c + l + r + u + o + f + g); }} {BORDER3}", 12),
    "convolution along rows": ("A[w, h] : float", "B.cell(x, y) from(A.row(y) a) where(x < w - 4) { float s = 0; for (int i = 0; i < 5; ++i) s += a.cell(x + i); "
                               "return s; } secondary B.cell(x, y) from() { return 0; }", 8),
    # Stencils of radius 3 and more, whose items have fewer rows at a time.
    "wide stencil": ("A[w, h] : float", f"to(B.cell(x, y) b) from(A.region(x - 3, y - 3, x + 4, y + 4) a) {{ float s = 0; for (int j = 0; j < 7; ++j) for (int i = 0; i < 7; ++i) s += (i + j) * a.cell(i, j); b = s; }} {BORDER}", 8),
    "wide stencil of rows": ("A[w, h] : float", f"to(B.cell(x, y) b) from({', '.join(f'A.region(x - 3, y + {j - 3}, x + 4, y + {j - 2}) a{j}' for j in range(7))}) "
                             f"{{ float s = 0; for (int i = 0; i < 7; ++i) s += {' + '.join(f'a{j}.cell(i, 0)' for j in range(7))}; b = s; }} {BORDER}", 8),
    "wide star": ("A[w, h] : float", f"to(B.cell(x, y) b) from(A.region(x - 4, y - 4, x + 5, y + 5) a) {{ float s = 0; for (int i = 0; i < 9; ++i) s += a.cell(i, 4) + a.cell(4, i); b = s; }} {BORDER}", 8),
    "wide star of doubles": ("A[w, h]", "to(B.cell(x, y) b) from(A.cell(x, y) c, " + ", ".join(f"A.cell(x {s} {k}, y) {n}{k}, A.cell(x, y {s} {k}) {m}{k}" for k in (1, 2, 3) for s, n, m in (("-", "l", "u"), ("+", "r", "d")))
                             + ") { b = c + " + " + ".join(f"{n}{k}" for k in (1, 2, 3) for n in "lrud") + "; } " + BORDER, 16),
    "wide star by a column and a row": ("A[w, h] : float", f"to(B.cell(x, y) b) from(A.region(x - 3, y, x + 4, y + 1) a, A.region(x, y - 3, x + 1, y + 4) c) {{ float s = 0; for (int i = 0; i < 7; ++i) s += a.cell(i, 0) + c.cell(0, i); b = s; }} {BORDER}", 8),
    "convolution along columns": ("A[w, h + 6] : float", "B.cell(x, y) from(A.column(x) a) { float s = 0; for (int i = 0; i < 7; ++i) s += a.cell(y + i); return s; }", 8),
}
MOST, MOST_REGISTERS = 1.1, 128
# Of which so many warps are resident on a processor with 65536 registers and room for 64 warps, by registers and the group's memory.
HALF_OF_WARPS = ("stencil", "stencil with a condition", "stencil of optional cells", "stencil in three dimensions")
REGISTERS, BYTES, WARPS = 65536, 227 << 10, 64

def resident_warps(k):
    """Registers are given out eight at a time to the items of a warp."""
    warps = k["group"][0] * k["group"][1] * k["group"][2] // 32
    groups = REGISTERS // ((k["registers"] + 7) // 8 * 8 * 32 * warps)
    return warps * min(groups, BYTES // max(1, k["group_bytes"]), WARPS // warps)

MOST_OF_WIDE, MOST_REGISTERS_OF_WIDE = 1.2, 255 # `local` is at 1.54 for 7 x 7 floats

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "machine-code.md").read_text()

failed = []
with tempfile.TemporaryDirectory() as folder:
    for name, (inputs, rule, least) in PROGRAMS.items():
        file = Path(folder) / "p.pbcc"
        one = "[w]" if "one dimension" in name else "[w, h, d]" if "three dimensions" in name else "[w, h]"
        element = "" if inputs in ("A[w, h]", "A[w, h, d]") or "double" in inputs else " : float"
        file.write_text(f"main transform P from {inputs} to B{one}{element} {{ {rule} }}\n")
        done = subprocess.run([PBC, "explain", "--json", "--device=sm_90", file], capture_output=True, text=True)
        if "need its compiler NVRTC" in done.stderr:
            print("this machine has no NVRTC")
            sys.exit(NOTHING_TO_TEST)
        if done.returncode != 0:
            failed.append(f"{name}: {done.stderr}")
            continue
        kernels = [k for k in json.loads(done.stdout)["kernels"] if k["version"] == "registers" and k["step"] == "rule0"]
        if len(kernels) != 1:
            failed.append(f"{name}: {len(kernels)} kernels")
            continue
        k = kernels[0]
        bytes_of_point = sum(k["global_bytes_per_point"].values())
        loads = k["global_copies"] if k["group_bytes"] else k["global_loads"] # of planes, through memory of the group
        most, most_registers = (MOST_OF_WIDE, MOST_REGISTERS_OF_WIDE) if "wide" in name else (MOST, MOST_REGISTERS)
        if bytes_of_point > most * least or k["spills"] or k["local_bytes"] or k["registers"] > most_registers or "16" not in loads or "16" not in k["global_stores"]:
            failed.append(f"{name}: {bytes_of_point} bytes for each point, of at least {least}; {k}")
        undocumented = [key for key in k if f"`{key}`" not in DOCUMENT]
        if undocumented:
            failed.append(f"{name}: docs/machine-code.md does not say what {', '.join(undocumented)} is")
        if name in HALF_OF_WARPS and resident_warps(k) < WARPS // 2:
            failed.append(f"{name}: {resident_warps(k)} of {WARPS} warps; {k}")
    # Groups copy strips of both matrices into memory without conflicts of banks.
    file.write_text("""main transform P from A[k, h] : float, B[w, k] : float to C[w, h] : float {
  to(C.cell(x, y) c) from(A.row(y) a, B.column(x) b) { float s = 0; for (int i = 0; i < k; ++i) s += a.cell(i) * b.cell(i); c = s; } }""")
    kernels = json.loads(subprocess.run([PBC, "explain", "--json", "--device=sm_90", file], capture_output=True, text=True, check=True).stdout)["kernels"]
    banks = [k["bank_conflicts"] for k in kernels if k["version"] == "blocks"]
    if banks != [{name: {"reads": 1, "writes": 1} for name in ("A_group", "B_group")}]:
        failed.append(f"product: conflicts of banks {banks}")
    # A group asks for more memory than all may have, as long as the device has so much.
    file.write_text("main transform P from A[n] to B[n] { B.cell(x) from(A.region(x, x + 9000) a) { double s = 0; for (int k = 0; k < 9000; ++k) s += a.cell(k); "
                    "return s; } secondary B.cell(x) from() { return 0; } }")
    for architecture, expected in (("sm_80", 74048), ("sm_90", 74048), ("sm_75", "a group needs 74048 bytes of memory, and can have 65536")):
        kernels = json.loads(subprocess.run([PBC, "explain", "--json", f"--device={architecture}", file], capture_output=True, text=True, check=True).stdout)["kernels"]
        asked = [k.get("asked_group_bytes", k.get("left_out")) for k in kernels if k["version"] == "local"]
        if asked != [expected]:
            failed.append(f"wide, {architecture}: {asked}")
print("\n".join(failed) or f"{len(PROGRAMS)} programs")
sys.exit(bool(failed))
