#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc model movement: movement_command.py PBC. Answers as text, as data and as a plot, and wrong questions."""
import os, sys, tempfile
import xml.dom.minidom
from question import Command


command = Command(sys.argv[1], "movement")
run, refused = command.run, command.refused
answer_of = command.answer

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)

    # One product: the best of three, and what would have to change.
    answer, f = answer_of("936", "1008", "552", "--memory=65536")
    assert f["least"] == 4629312 and f["way"] == "output kept (P0 x P2)", f
    assert [row[1:3] for row in answer["tables"][0]["rows"]] == [
        [4629312, "234 x 280"], [6308928, "188 x 348"], [5970240, "184 x 356"]], answer
    assert answer["explanation"] == ["48.1 % of the words are A2, which moves 4 times.",
                                     "Each matrix would move once with 516672 words (3.942 MiB)."], answer
    once = answer_of("936", "1008", "552", "--memory=516672")[1]
    assert once["least"] == once["each matrix once"]
    assert answer_of("936", "1008", "552", "--memory=516671")[1]["least"] > once["least"]
    assert answer_of("8192", "256", "8192", "--memory=65536")[1]["way"] == "left kept (P0 x P1)"

    # A plain number is words, one with a unit is bytes; text says both.
    words, numbers = ("64", "64", "64", "--memory=512"), ("64", "64", "64", "--memory=2KiB", "--element=4")
    assert answer_of(*words)[1]["least"] == answer_of(*numbers)[1]["least"]
    assert "through 512 words of 4 bytes (2 KiB)\n" in run(*numbers).stdout
    assert "this machine's second cache" in run("64", "64", "64").stdout
    assert answer_of(*words, "--stream=4")[1]["least"] > answer_of(*words)[1]["least"]

    # Two products: with the memory that is named fusing pays, with less it does not.
    answer, f = answer_of("1024", "1024", "1024", "1024", "--memory=262144")
    ways = {row[0]: row[1] for row in answer["tables"][0]["rows"]}
    assert ways["left, fused"] < ways["left, one by one"] and any("Fusing saves" in s for s in answer["explanation"]), answer
    _, f = answer_of("936", "1008", "552", "368", "--memory=65536")
    assert f["order of fewest operations"] == "A1 (A2 A3)" and f["multiplications"] == 551964672, f
    printed, corrected = ({row[0]: row[3] for row in answer_of("936", "1008", "552", "368", "--memory=65536", *mode)[0]["tables"][0]["rows"]}["right, fused"]
                          for mode in (["--printed"], []))
    assert abs(printed - 3410650.2186) < 0.01 and abs(corrected - 5159396.4898) < 0.01, (printed, corrected)

    run("936", "1008", "552", "--memory=65536", "--plot=curve.svg")
    xml.dom.minidom.parse("curve.svg")

    # Of one product print has the same words; only a tile is named wrongly.
    printed = answer_of("936", "1008", "552", "--memory=65536", "--printed")[0]
    assert printed["tables"] == answer_of("936", "1008", "552", "--memory=65536")[0]["tables"], printed
    assert any("D.6" in s for s in printed["explanation"]), printed

    assert refused("5", "-3", "2") == "size P1 is -3\n  help: sizes are whole numbers from 1 to 2147483647\n"
    assert refused("3", "4", "5", "--memory=0") == "a fast memory of 0 words\n  help: it has at least one word\n"
    assert refused("3", "4", "5", "--memory=12X") == (
        "--memory=12X is not the size of a memory\n  help: a number of words (65536), or of bytes with B, K, M or G behind it (64K)\n")
    assert refused("3", "4", "5", "--memory=99999999999G").startswith("--memory=99999999999G is not the size of a memory")
    assert refused("3", "4", "5", "--memory=8", "--stream=5").startswith("no tile of the product fits in 8 words with 5 streamed")
    assert refused("3", "4", "5", "--element=0").startswith("--element=0: ")
    assert refused(*["2147483647"] * 3) == "the words that the product moves are more than 64 bits can count\n  help: take smaller sizes\n"
    assert "At least 3 required" in run("5", "6", status=1).stderr
