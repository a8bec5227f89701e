#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc model chain: chain_command.py PBC. The worked example in both modes, the experiment, and wrong questions."""
import os, sys, tempfile
import xml.dom.minidom
from question import Command

EXAMPLE = ["936", "1008", "552", "368", "1016", "616", "544"]

command = Command(sys.argv[1], "chain")
run, refused = command.run, command.refused
answer_of = command.answer

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)

    answer, f = answer_of(*EXAMPLE, "--memory=65536")
    assert f["multiplications"] == 1092977664 and f["order, fused pairs in brackets"] == "([A1(A2A3)]([A4A5]A6))", f
    assert (f["one by one"], f["fused pairs"], f["least of all orders"]) == (10986240, 10242944, 10242944), f
    assert abs(f["closed form, one by one"] - 10190344) < 0.5 and abs(f["closed form, fused pairs"] - 9323278.25) < 0.01, f
    assert [row[6] for row in answer["tables"][1]["rows"]] == ["alone", "alone", "alone", "left", "left"], answer
    f = answer_of(*EXAMPLE, "--memory=65536", "--printed")[1]
    assert abs(f["closed form, fused pairs"] - 8392058) < 1 and abs(f["closed form, saved"] - 17.65) < 0.01, f

    # 64 KB of 4-byte numbers are 16384 words, where nothing pays; what would have to change is true.
    answer, f = answer_of(*EXAMPLE, "--memory=64K", "--element=4")
    assert f["one by one"] == f["fused pairs"] == 19608896 and f["saved"] == 0, f
    sentence = next(s for s in answer["explanation"] if s.startswith("No pair is worth fusing"))
    assert answer_of(*EXAMPLE, f"--memory={sentence.split()[7]}")[1]["saved"] > 0, sentence

    # Sizes for which closed forms mean nothing: exact counts all the same, and --printed says why not.
    answer, f = answer_of("4096", "64", "4096", "48", "4096", "--memory=65536")
    assert "closed form, saved" not in f and any(s.startswith("No closed forms: ") for s in answer["explanation"]), answer
    assert refused("4096", "64", "4096", "48", "4096", "--memory=65536", "--printed").startswith("the closed form needs P")

    # One matrix, and two: nothing to choose.
    assert answer_of("7", "9", "--memory=10")[1]["fused pairs"] == 0
    assert answer_of("7", "9", "5", "--memory=10")[1]["order, fused pairs in brackets"] == "(A1A2)"

    answer, f = answer_of("--experiment", "--memory=65536", "--plot=mean.svg")
    assert abs(f["mean for 65536 words, closed forms"] - 7.27) < 0.1, f
    assert len(answer["tables"][0]["rows"]) == 19
    xml.dom.minidom.parse("mean.svg")
    run(*EXAMPLE, "--memory=65536", "--plot=curve.svg")
    xml.dom.minidom.parse("curve.svg")

    assert refused("5") == "1 size\n  help: a chain of n matrices has n + 1 sizes: 2 to 501\n"
    assert refused("5", "0", "2") == "size P1 is 0\n  help: sizes are whole numbers from 1 to 2147483647\n"
    assert refused("5", "6", "--experiment") == "--experiment draws its own sizes\n  help: leave out the sizes, or --experiment\n"
    assert refused("--experiment", "--memory=2G").startswith("the closed form needs ")
    assert refused(*["2147483647"] * 4).endswith("more than 64 bits can count\n  help: take smaller sizes\n")
