#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc opt, as a user gives it, and the text of kernels in programs and in docs/kernel-text.md.

  opt.py PBC ROOT
"""
import os
import re
import subprocess
import sys
import tempfile

PBC, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
failures = []

KERNEL = """kernel Add [w, h]
  buffer A double 2-d input
  buffer C double 2-d output
  S0[y, x]: C[x, y] = A[x, y] + 1.0
    { S0[y, x] : 0 <= y < h and 0 <= x < w }
  schedule
    band y parallel, x parallel
"""


def run(words, given=""):
    return subprocess.run([PBC, *words], input=given, capture_output=True, text=True, timeout=120)


def expect(holds, what, result):
    if not holds:
        failures.append(f"{what}: status {result.returncode}\n{result.stdout}{result.stderr}")


def gives(what, words, given, parts):
    result = run(words, given)
    expect(result.returncode == 0 and all(p in result.stdout for p in parts), what, result)
    return result


def says(what, words, given, message):
    result = run(words, given)
    expect(result.returncode == 1 and message in result.stderr and not result.stdout, what, result)
    return result


def without_comments(text):
    return "".join(line + "\n" for line in text.splitlines() if not line.startswith("//"))


def read_back():
    """A sample of programs; builds with PBC_VERIFY do the same for all of them."""
    programs = ["tests/golden/product.pbcc", "tests/golden/versions.pbcc", "tests/golden/device_bodies.pbcc", "tests/golden/rows.pbcc",
                "tests/programs/diagonals.pbcc", "tests/kernels/time_tiles.pbcc", "samples/heat.pbcc",
                "stdlib/linalg.pbcc",
                # Pieces of one rule, and versions of one kernel.
                "tests/golden/team.pbcc", "tests/golden/schedules.pbcc"]
    for program in programs:
        for stage in "lifted", "kernels":
            printed = run([f"--emit={stage}", os.path.join(ROOT, program)])
            expect(printed.returncode == 0 and "kernel " in printed.stdout, f"--emit={stage} {program}", printed)
            again = run(["opt", "-"], printed.stdout)
            expect(again.stdout == without_comments(printed.stdout), f"{stage} of {program}, read back", again)


def document():
    text = open(os.path.join(ROOT, "docs/kernel-text.md")).read()
    examples = re.findall(r"```kernel\n(.*?)```", text, re.S)
    if not examples:
        failures.append("docs/kernel-text.md has no example")
    for example in examples:
        result = run(["opt", "-"], example)
        expect(result.stdout == example, "an example of docs/kernel-text.md", result)
    with tempfile.TemporaryDirectory() as folder:
        wrong = examples[0].replace("B[x, k]", "B[z, k]")
        open(os.path.join(folder, "mm.kernel"), "w").write(wrong)
        result = subprocess.run([PBC, "opt", "mm.kernel"], capture_output=True, text=True, cwd=folder, timeout=60)
        expect(result.stderr in text, "the error of docs/kernel-text.md", result)


def steps():
    gives("one step", ["opt", "-", "--pass=tile(y, x; 32, 256)", "--verify"], KERNEL, ["band yt = ", "band xt = "])
    gives("steps in their order", ["opt", "-", "--pass=tile(x; 8)", "--pass=vector(x)"], KERNEL, ["vector\n", "band xt = "])
    gives("no step", ["opt", "-"], KERNEL, [KERNEL])
    gives("the list", ["opt", "--list"], "", ["tile(loops, ...; sizes, ...)\n    cuts loops"])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s.sched")
        open(path, "w").write("tile(x; 8); // eight at once\nvector(x);\n")
        out = os.path.join(folder, "out.kernel")
        result = gives("a script", ["opt", "-", "--script=" + path, "-o", out], KERNEL, [])
        expect(result.stdout == "" and "vector" in open(out).read(), "-o", result)
        says("a script that is not there", ["opt", "-", "--script=" + path + "x"], KERNEL, "cannot read")
        result = says("nothing is written after an error", ["opt", "-", "--pass=vector(z)", "-o", out + "2"], KERNEL, "does not apply to Add")
        expect(not os.path.exists(out + "2"), "nothing is written after an error", result)
    after = run(["opt", "-", "--pass=tile(x; 8); vector(x)", "--print-after=all"], KERNEL)
    expect(after.stderr.count("kernel Add") == 2 and "// Add after step 2, `vector(x)`," in after.stderr, "--print-after=all", after)
    after = run(["opt", "-", "--pass=tile(x; 8); vector(x)", "--print-after=vector"], KERNEL)
    expect(after.stderr.count("kernel Add") == 1, "--print-after=vector", after)
    lenient = run(["opt", "-", "--pass=vector(nowhere); vector(x)", "--lenient"], KERNEL)
    expect(lenient.returncode == 0 and "warning: step 1" in lenient.stderr and "vector\n" in lenient.stdout, "--lenient", lenient)
    two = KERNEL + KERNEL.replace("Add", "Other")
    one = gives("--kernel", ["opt", "-", "--kernel=Other", "--pass=vector(x)"], two, [KERNEL, "kernel Other"])
    expect(one.stdout.count("vector") == 1, "--kernel", one)


def errors():
    says("no kernel", ["opt", "-"], "transform T from A to B {}\n", "standard input:1:1: error: expected `kernel` and its name")
    says("an empty file", ["opt", "/dev/null"], "", "there is no kernel here")
    says("no file", ["opt"], "", "the file with the kernels is missing")
    says("a file that is not there", ["opt", "nothing.kernel"], "", "cannot read nothing.kernel")
    twice = says("two kernels of one name", ["opt", "-"], KERNEL + "// another\n" + KERNEL, "standard input:9:8: error: two kernels are called `Add`")
    expect("standard input:1:8: note: the other one is here" in twice.stderr, "two kernels of one name", twice)
    says("a step with an error", ["opt", "-", "--pass=tile(x; 8"], KERNEL, "--pass:1:10: error: expected")
    says("an unknown step", ["opt", "-", "--pass=tilt(x; 8)"], KERNEL, "no transformation is called `tilt`")
    says("a label that no loop has", ["opt", "-", "--pass=vector(xx)"], KERNEL, "the loops are `y`, `x`")
    says("an unknown kernel", ["opt", "-", "--kernel=Ad"], KERNEL, "there is no kernel Ad here (did you mean 'Add'?)")
    says("--print-after of nothing", ["opt", "-", "--pass=vector(x)", "--print-after=3"], KERNEL, "names no step")
    says("an unknown option", ["opt", "-", "--verfy"], KERNEL, "there is no option --verfy (did you mean '--verify'?)")
    says("a misspelt command", ["opr"], "", "did you mean 'opt'?")


read_back()
document()
steps()
errors()
print("\n".join(failures))
sys.exit(1 if failures else 0)
