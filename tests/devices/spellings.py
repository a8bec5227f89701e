#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""However a product is spelled, its schedule is composed for devices: spellings.py PBC

The program's cells are compared by devices.product_spellings. Here, each of its transforms has composed schedules, with the script in full, and none
is refused because of barriers.
"""
import os
import re
import subprocess
import sys

PBC = os.path.abspath(sys.argv[1])
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
said = subprocess.run([PBC, "explain", "product_spellings.pbcc", "--schedule=product_spellings.sched"], capture_output=True, text=True, timeout=300)
if said.returncode:
    sys.exit(said.stderr)
failed = []
parts = re.split(r"^transform (\w+)$", said.stdout, flags=re.MULTILINE)[1:]
for name, text in zip(parts[::2], parts[1::2]):
    whole = re.findall(r"^ +gemm.*: .*items\(each = block\).*strips\(; 16, buffers = 2\).*full_strips\(\)$", text, flags=re.MULTILINE)
    if not whole or "barrier" in text:
        failed.append(f"{name} has {len(whole)} composed schedules for devices:\n{text}")
if len(parts) != 2 * 8:
    failed.append(f"{len(parts) // 2} transforms, not 8")
sys.exit("\n".join(failed) or 0)
