#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies that are long and deep as only programs write them: deep_bodies.py PBC

They compile soon, and run: what walks them recursively has stack for it. Each is timed against a limit that a quadratic
text or a cubic copy misses by far.
"""
import os, subprocess, sys, tempfile

MOST_SECONDS = 60  # a few seconds; machines are busy
CASES = {  # body, and what it gives for 2
    "sum": ("return " + "c + " * 1400 + "c;", 1401 * 2),
    "long_sum": ("return " + "c + " * 5000 + "c;", 5001 * 2),
    "negations": ("return " + "- " * 9001 + "c;", -2),
    "conditions": ("return " + "c > 3 ? 1 : " * 3000 + "c;", 2),
    "comparisons": ("double x = " + "c < " * 4000 + "c; return x;", 1),
    "ifs": ("if (c > 0) " * 3000 + "return 1; return 2;", 1),
    "else_ifs": ("if (c > 3) return 0; else " * 3000 + "return 5;", 5),
    "brackets": ("return " + "(c + " * 200 + "c" + ")" * 200 + ";", 201 * 2),
}


def main():
    pbc = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("in.txt", "w") as file:
            file.write("SIZE 3\n2 2 2\n")
        environment = {**os.environ, "PB_DEVICES": "none"}
        for name, (body, expected) in CASES.items():
            with open(f"{name}.pbcc", "w") as file:
                file.write("main transform Deep\nfrom A[n]\nto B[n]\n{\n"
                           f"  B.cell(i) from(A.cell(i) c) {{\n    {body}\n  }}\n}}\n")
            for words in ([f"{name}.pbcc", "-o", name], ["./" + name, "in.txt", "-"]):
                command = words if words[0].startswith("./") else [pbc, *words]
                done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS, env=environment)
                if done.returncode:
                    sys.exit(f"{name}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            found = [float(word) for word in done.stdout.split() if word.lstrip("-").replace(".", "").isdigit()][-3:]
            if found != [expected] * 3:
                sys.exit(f"{name}: found {found}, expected {expected}\n{done.stdout}")


if __name__ == "__main__":
    main()
