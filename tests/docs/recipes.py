#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the code in docs/extending is that of the sources: a reader writes what really works.

  recipes.py ROOT     each block of C++ behind "Write `PATH`" must be the file PATH, from which lines may be left out
"""
import os, re, sys, textwrap

RECIPE = re.compile(r"[Ww]rite `([\w./]+)`[^\n]*(?:\n[^\n`]+)*\n\n( *```cpp\n.*?\n *```\n)", re.S)


def left_out(lines, file):
    """The first line that does not follow in the file on the ones before it; None if all do."""
    rest = iter(file)
    return next((line for line in lines if line not in rest), None)


def problems(root):
    folder, found = os.path.join(root, "docs/extending"), 0
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as page:
            text = page.read()
        for path, block in RECIPE.findall(text):
            found += 1
            code = textwrap.dedent(block).splitlines()[1:-1]
            file = os.path.join(root, path)
            if not os.path.exists(file):
                yield f"docs/extending/{name}: there is no {path}"
                continue
            with open(file, encoding="utf-8") as source:
                line = left_out(code, source.read().splitlines())
            if line is not None:
                yield f"docs/extending/{name}: {path} has no line `{line.strip()}` there"
    if found < 3:
        yield f"docs/extending has only {found} blocks of code with their files"


all_problems = list(problems(sys.argv[1]))
print("\n".join(all_problems) or "the recipes: as the sources")
sys.exit(bool(all_problems))
