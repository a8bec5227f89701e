#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles programs whose analysis could take exponential time, and checks that it ends soon and in little memory.

  ends_soon.py PBC [CASE... | K/N]

K/N takes each N-th case, from the K-th on.
Each program either compiles or is refused with an expected message. The bound is on processor time, which a busy machine
changes little, and in multiples of what a small program takes on this machine. It is twice the largest measured value or more, and
below those before the fix (4.6 GB, and 19 to more than 90 seconds where a small program took 0.3).
"""
import os, resource, statistics, subprocess, sys, tempfile

MOST_TIMES, MOST_MEMORY, MOST_WAITING = 80, 1 << 30, 240

SIMPLE = "transform S\nfrom A[n]\nto B[n]\n{\n"


def strides(*steps):
    rules = "".join(f"  primary B.cell({p}*i) from(A.cell({p}*i) a) {{ return a + {p}; }}\n" for p in steps)
    return SIMPLE + rules + "  secondary B.cell(i) from(A.cell(i) a) { return a; }\n}\n"


def ordered_strides(*steps):
    rules = "".join(f"  priority({k + 1}) B.cell({p}*i) from(A.cell({p}*i) a) {{ return a + {p}; }}\n"
                    for k, p in enumerate(steps))
    return SIMPLE + rules + "  priority(9) B.cell(i) from(A.cell(i) a) { return a; }\n}\n"


def calls(count, word=""):
    lines = "".join(f"    {word}T(b, a);\n" for _ in range(count)) + ("    sync;\n" if word else "")
    return ("transform T\nfrom A[n]\nto B[n]\n{\n  B.cell(i) from(A.cell(i) a) { return a; }\n}\n\n"
            "main transform M\nfrom A[n]\nto B[n]\n{\n  to(B b) from(A a) {\n" + lines + "  }\n}\n")


def loops(count):
    heads = "".join(f"    for (int i{k} = 0; i{k} < 2; ++i{k})\n" for k in range(count))
    return SIMPLE + f"  B.cell(i) from(A.cell(i) a) {{\n    double s = 0;\n{heads}      s += a;\n    return s;\n  }}\n}}\n"


NESTED_LOOPS = {  # the text before and after what the loop repeats
    "if": ("for (int k{0} = 0; k{0} < 2; ++k{0}) if (k{0} == 0) {{", "}}"),
    "if_else": ("for (int k{0} = 0; k{0} < 2; ++k{0}) {{ if (k{0} == 1) s += {0}; else {{", "}} }}"),
    "ternary": ("for (int k{0} = 0, h{0} = 2; k{0} < h{0}; ++k{0}) {{ h{0} = k{0} == 0 ? 2 : 1; if (k{0} == 0 ? true : false) {{", "}} }}"),
    "switch": ("for (int k{0} = 0; k{0} < 2; ++k{0}) switch (k{0}) {{ case 0:", "}}"),
    "while": ("{{ int k{0} = 0; while (k{0} < 2) if (k{0}++ == 0) {{", "}} }}"),
    "break": ("{{ int k{0} = 0; while (true) {{ if (k{0} == 2) break; if (k{0}++ == 0) {{", "}} }} }}"),
    "continue": ("for (int k{0} = 0; k{0} < 3; ++k{0}) {{ if (k{0} != 1) continue;", "}}"),
    "do": ("{{ int k{0} = 0; do if (k{0} == 0) {{", "}} while (++k{0} < 2); }}"),
}


def conditions_in_loops(count, kind):
    begin, end = NESTED_LOOPS[kind]
    lines = [begin.format(k) for k in range(count)] + ["s += a;"] + [end.format(k) for k in reversed(range(count))]
    return SIMPLE + "  B.cell(i) from(A.cell(i) a) {\n    double s = 0;\n    " + "\n    ".join(lines) + "\n    return s;\n  }\n}\n"


def residues(period):
    rules = "".join(f"  B.cell({period}*i+{k}) from(A.cell({period}*i+{k}) a) {{ return a + {k}; }}\n" for k in range(period))
    return SIMPLE + rules + "}\n"


def filter_of_cells(reach):
    shifts = range(-reach, reach + 1)
    inputs = ", ".join(f"A.cell(x{dx:+d}, y{dy:+d}) a{k}" for k, (dx, dy) in enumerate((dx, dy) for dx in shifts for dy in shifts))
    total = " + ".join(f"a{k}" for k in range(len(shifts) ** 2))
    return ("transform S\nfrom A[w, h]\nto B[w, h]\n{\n" + f"  B.cell(x, y) from({inputs}) {{ return {total}; }}\n" +
            "  secondary B.cell(x, y) from(A.cell(x, y) a) { return a; }\n}\n")


def raw(count, line):
    return ("%{\n" + "".join(line.format(k) + "\n" for k in range(count)) + "%}\n" + SIMPLE +
            "  B.cell(i) from(A.cell(i) a) { return a; }\n}\n")


def macros(count, arguments=""):
    lines = "".join(f"#define M{k}{arguments and '(x)'} M{k - 1}{arguments and '(x)'}\n" for k in range(1, count))
    first = "#define M0(x) x\n" if arguments else "#define M0 1\n"
    return first + lines + SIMPLE + f"  B.cell(i) from(A.cell(i) a) {{ return a + M{count - 1}{arguments}; }}\n}}\n"


def versions():
    rules = ["T<0>.cell(i, j) from(A.cell(i, j) a) { return a; }",
             "T<k>.cell(i, j) from(T<k-1>.cell(i, j) c, T<k-1>.cell(i-1, j) l, T<k-1>.cell(i+1, j) r, "
             "T<k-1>.cell(i, j-1) u, T<k-1>.cell(i, j+1) d) { return (c + l + r + u + d) / 5; }"]
    for level, places in (("secondary", ("0, j", "w-1, j", "i, 0", "i, h-1")),
                          ("primary", ("0, 0", "w-1, 0", "0, h-1", "w-1, h-1"))):
        rules += [f"{level} T<k>.cell({p}) from(T<k-1>.cell({p}) c) {{ return c; }}" for p in places]
    rules.append("B.cell(i, j) from(T<steps>.cell(i, j) t) { return t; }")
    return ("transform S\nparam steps\nfrom A[w, h]\nto B[w, h]\nthrough T<0..steps>[w, h]\n{\n  " +
            "\n  ".join(rules) + "\n}\n")


MANY_WAYS = ("overlap in too many ways", "has more than 999 alternatives")
MANY_CALLS = ("calls transforms in more than 100 places",)
LARGE_DATA = ("the initialised data of the program is larger than 64 MiB",)
CASES = {  # the program, the messages of which one is expected (if there are any), and the seconds allowed
    "three_strides": (strides(2, 3, 5), ()),
    "five_strides": (strides(2, 3, 5, 7, 11), MANY_WAYS),
    "six_strides": (strides(2, 3, 5, 7, 11, 13), MANY_WAYS),
    "ordered_strides": (ordered_strides(2, 3, 5, 7, 11, 13), MANY_WAYS),
    "a_hundred_calls": (calls(100), ()),
    "a_thousand_calls": (calls(1000), MANY_CALLS),
    "two_thousand_calls": (calls(2000), MANY_CALLS),
    "a_thousand_spawns": (calls(1000, "spawn "), MANY_CALLS),
    "ten_loops": (loops(10), ()),
    "many_loops": (loops(64), ()),
    "very_many_loops": (loops(200), ()),
    "functions": (raw(10000, "static inline int f{0}(int x) {{ return x + {0}; }}"), ()),
    "initialisers": (raw(10000, "double v{0} = drand48();"), ()),
    "static_initialisers": (raw(10000, "static double v{0} = drand48();"), ()),
    "constructors": (raw(1, "struct S {{ S() {{}} ~S() {{ puts(\"\"); }} }};").replace("%}\n", "".join(
        f"S s{k};\n" for k in range(5000)) + "%}\n", 1), ()),
    "macros": (macros(30000), ()),
    "macros_of_macros": (macros(3000, "(1)"), ()),
    "versions": (versions(), ()),
    **{f"{kind}_in_loops": (conditions_in_loops(40, kind), ()) for kind in NESTED_LOOPS},
    "thirty_residues": (residues(30), ()),
    "a_hundred_residues": (residues(100), ()),
    "residues_and_the_rest": (residues(50).replace("}\n}\n", "}\n  secondary B.cell(i) from(A.cell(i) a) { return a; }\n}\n"), ()),
    "two_rules_for_residues": (residues(20).replace("{\n  B", "{\n  to(B b) from(A a) { for (int i = 0; i < n; ++i) b.cell(i) = a.cell(i); }\n  B", 1), ()),
    "filter_of_cells": (filter_of_cells(10), ()),
    "initialised_table": (raw(1, "static double t[200000000] = {{1, 2}};"), LARGE_DATA),
    "initialised_tables": (raw(100, "static double t{0}[1000000] = {{1, 2}};"), LARGE_DATA),
    "zero_tables": (raw(100, "static double t{0}[10000000] = {{}};"), ()),
    "a_device_for_the_assembler": (raw(1, 'asm(".incbin \\"/dev/zero\\"");'), ("cannot read `/dev/zero`",)),
}


def compiled(pbc, name, text):
    """What pbc did with the text, and the seconds of processor time."""
    with open(f"{name}.pbcc", "w") as file:
        file.write(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([pbc, "--no-cache", f"{name}.pbcc", "-o", name], capture_output=True, text=True,
                          timeout=MOST_WAITING, errors="replace",
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (4 * MOST_MEMORY,) * 2))
    return done, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def main():
    pbc, chosen = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(CASES)
    if "/" in chosen[0]:
        first, step = map(int, chosen[0].split("/"))
        chosen = list(CASES)[first::step]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        small = statistics.median(compiled(pbc, "small", strides(1))[1] for _ in range(3))
        print(f"a small program: {small:.2f} s")
        for name in chosen:
            text, expected = CASES[name]
            done, seconds = compiled(pbc, name, text)
            memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
            problems = []
            if seconds > MOST_TIMES * small:
                problems.append(f"more than {MOST_TIMES} times a small program")
            if memory > MOST_MEMORY:
                problems.append(f"more than {MOST_MEMORY >> 20} MiB")
            if expected and not any(e in done.stderr for e in expected):
                problems.append(f"no message of {expected}")
            if not expected and (done.returncode or "error" in done.stderr):
                problems.append(f"status {done.returncode}")
            if "internal error" in done.stderr:
                problems.append("an internal error")
            print(f"{name:24} {seconds:6.2f} s  at most {memory >> 20} MiB so far  {'; '.join(problems)}", flush=True)
            if problems:
                wrong.append(f"{name}: {'; '.join(problems)}\n{done.stderr[:2000]}")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
