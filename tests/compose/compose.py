#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc compose on the kernels of a program: compose.py PBC FILE.pbcc.

Each line `// compose: ARGUMENTS` of the program is one call, in the program's folder; what it prints, and what it says, is compared with
FILE.txt, which UPDATE=1 writes anew. Every kernel that is made is verified.
"""
import os
import shlex
import subprocess
import sys

pbc, program = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.chdir(os.path.dirname(program))
name = os.path.basename(program)
lifted = subprocess.run([pbc, "--emit=lifted", name], capture_output=True, text=True, timeout=120)
if lifted.returncode:
    sys.exit(lifted.stderr)
with open(name) as f:
    calls = [line.split("// compose:", 1)[1].strip() for line in f if line.startswith("// compose:")]
if not calls:
    sys.exit(f"{name} has no line `// compose: ARGUMENTS`")
found = ""
for call in calls:
    done = subprocess.run([pbc, "compose", "-", "--verify", *shlex.split(call)], input=lifted.stdout, capture_output=True, text=True, timeout=120)
    found += f"$ pbc compose - {call}\n{done.stdout}{done.stderr}" + (f"exit status {done.returncode}\n" if done.returncode else "")
golden = name.removesuffix(".pbcc") + ".txt"
if os.environ.get("UPDATE") == "1":
    with open(golden, "w") as f:
        f.write(found)
expected = open(golden).read() if os.path.exists(golden) else ""
if found != expected:
    print(f"expected, {golden}:\n{expected}\nfound (UPDATE=1 writes it to the file):\n{found}")
    sys.exit(1)
