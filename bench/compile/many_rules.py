#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a program of COUNT rules: many_rules.py COUNT chain|pieces|transforms

  chain        one transform: a row of matrices, each from the one before it by three rules (the inside and two edges)
  pieces       one transform: four matrices from one input, each cut into pieces by its share of the rules
  transforms   a transform for every two rules, and one that calls them all
"""
import sys


def chain(count):
    matrices = max(1, count // 3)
    rules = []
    for m in range(matrices):
        a, b = ("A" if m == 0 else f"T{m}"), ("B" if m == matrices - 1 else f"T{m + 1}")
        rules.append(f"  {b}.cell(x, y) from({a}.cell(x-1, y) l, {a}.cell(x, y) c, {a}.cell(x+1, y) r) {{ return {m + 1} * c + l - r; }}\n"
                     f"  primary {b}.cell(0, y) from({a}.cell(0, y) c) {{ return c + {m}; }}\n"
                     f"  primary {b}.cell(w-1, y) from({a}.cell(w-1, y) c) {{ return c - {m}; }}\n")
    through = ", ".join(f"T{m}[w, h]" for m in range(1, matrices))
    return ("transform Chain\nfrom A[w, h]\nto B[w, h]\n" + (f"through {through}\n" if through else "") +
            "{\n" + "".join(rules) + "}\n")


def pieces(count):
    rules, each = [], max(1, count // 4)
    for m in range(4):
        for k in range(each - 1):
            rules.append(f"  primary M{m}.cell({k}, y) from(A.cell({k}, y) a) {{ return a * {k + m}; }}\n")
        rules.append(f"  M{m}.cell(x, y) from(A.cell(x, y) a) {{ return a + {m}; }}\n")
    return "transform Pieces\nfrom A[w, h]\nto " + ", ".join(f"M{m}[w, h]" for m in range(4)) + "\n{\n" + "".join(rules) + "}\n"


def transforms(count):
    text, calls, n = "", "", max(1, count // 2)
    for t in range(n):
        text += (f"transform T{t}\nfrom A[n]\nto B[n]\n{{\n  B.cell(i) from(A.cell(i-1) l, A.cell(i) c) {{ return l + {t + 1} * c; }}\n"
                 f"  secondary B.cell(i) from(A.cell(i) c) {{ return c - {t}; }}\n}}\n\n")
        calls += f"    T{t}({'b, a' if t == 0 else 'b, b'});\n"
    return text + "main transform All\nfrom A[n]\nto B[n]\n{\n  to(B b) from(A a) {\n" + calls + "  }\n}\n"


if __name__ == "__main__":
    sys.stdout.write({"chain": chain, "pieces": pieces, "transforms": transforms}[sys.argv[2]](int(sys.argv[1])))
