#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc model codesign: codesign_command.py PBC. The specification's ranges, weights, models, the plot, and budgets that no
chip meets."""
import os, sys, tempfile
import xml.dom.minidom
from question import Command


command = Command(sys.argv[1], "codesign")
run, refused = command.run, command.refused

def answer(*arguments):
    a, figures = command.answer(*arguments)
    return {**a, "figures": figures, "tables": {t["title"].split(":")[0]: t["rows"] for t in a["tables"]}}

def best(a):
    return tuple(a["figures"][name] for name in ("best units", "best lanes of a unit", "best shared memory"))

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)

    # The whole of the specification: 88 problems on 3737 designs. Every row of the front is faster than the one before.
    a = answer("--plot=all.svg")
    assert a["title"] == "Codesign: 88 problems of 6 stencils on 3737 designs of 200 to 650 mm2, time model corrected", a["title"]
    front = a["tables"]["Pareto front"]
    assert len(front) == a["figures"]["designs on the Pareto front"] > 10
    assert all(p[0] < q[0] and p[4] < q[4] for p, q in zip(front, front[1:])), front
    assert tuple(front[-1][1:4]) == best(a) and front[-1][4] == a["figures"]["its performance"]
    assert 200 <= front[0][0] and front[-1][0] <= 650
    sensitivity = a["tables"]["Sensitivity"]
    assert [row[0] for row in sensitivity] == ["Jacobi2D", "Heat2D", "Laplacian2D", "Gradient2D", "Heat3D", "Laplacian3D"]
    assert all(row[6] >= 0 for row in sensitivity)
    svg = xml.dom.minidom.parse("all.svg").documentElement
    assert svg.tagName == "svg" and os.path.getsize("all.svg") < 500_000
    names = [t.firstChild.data for t in svg.getElementsByTagName("text") if t.firstChild]
    assert "Pareto front" in names and "GTX 980 without caches" in names, names

    # A stencil alone is what the sensitivity says; so is all the weight on it.
    few = ["--area=425,450", "--units=4:28:8"]
    row = answer(*few)["tables"]["Sensitivity"][0]
    alone, weighted = answer(*few, "--stencil=Jacobi2D"), answer(*few, "--weights=Jacobi2D=7")
    assert best(alone) == best(weighted) == tuple(row[2:5]), (alone["figures"], row)
    assert abs(alone["figures"]["its performance"] / row[5] - 1) < 1e-12
    assert abs(weighted["figures"]["its performance"] / row[5] - 1) < 1e-12

    # The models disagree as the specification says.
    narrow = ["--stencil=Jacobi2D", "--area=425,450"]
    assert best(answer(*narrow)) == (4, 1952, 96)
    assert best(answer(*narrow, "--model=printed")) == best(answer(*narrow, "--printed")) == (26, 192, 24)
    assert "printed model forgets" in " ".join(answer(*narrow, "--printed")["explanation"])
    balanced, corrected = answer(*narrow, "--model=balanced"), answer(*narrow)
    assert balanced["figures"]["its performance"] != corrected["figures"]["its performance"]

    # Own problems and ranges.
    own = ["--stencil=Heat3D", "--size=256,256,256", "--steps=128", "--units=4:16:4", "--lanes=64:512:64", "--shared=48,96"]
    a = answer(*own, "--area=300")
    assert a["title"].startswith("Codesign: 1 problem of Heat3D on ") and a["figures"]["its area"] <= 300, a
    assert answer(*own, "--area=200")["figures"]["its performance"] < a["figures"]["its performance"]

    # Questions without an answer.
    assert refused("--area=10") == ("no design has an area from 0 to 10 mm2\n  help: the smallest of these ranges has 16.8 mm2, the "
                                    "largest 3946.8 mm2, and none between lies in the budget\n")
    assert refused("--area=450,425").startswith("an area from 450 to 425 mm2\n")
    assert refused("--area=nan").startswith("an area from 0 to nan mm2\n")
    assert refused("--shared=-48").startswith("sizes of shared memory are needed, each more than 0 ")
    assert refused("--shared=nan,48").startswith("sizes of shared memory are needed, each more than 0 ")
    assert refused("--shared=1") == ("no design of this area has enough shared memory for a tile of every problem\n"
                                     "  help: give more with --shared, or a larger area\n")
    assert refused("--units=4:2").startswith("units from 4 to 2 in steps of 1\n")
    assert refused("--units=2:x").startswith("\"2:x\" is not a range for --units\n")
    assert refused("--units=2:4:2:2").startswith("\"2:4:2:2\" is not a range for --units\n")
    assert "at most 2e+06 are looked at" in refused("--lanes=1:1000000:1")
    assert "Jacobi2D" in refused("--stencil=Jacobi2")
    assert refused("--stencil=Jacobi1D").startswith("codesign is for stencils of two and three dimensions; Jacobi1D has one\n")
    assert refused("--weights=Jacobi2D").startswith("\"Jacobi2D\" is not a weight\n")
    assert refused("--weights=Jacobi2D=-1").startswith("the weight of Jacobi2D is -1\n")
    assert refused("--weights=Jacobi2D=0").startswith("all weights are 0\n")
    assert refused("--size=1024,1024").startswith("--size without --steps\n")
    assert refused("--stencil=Heat3D", "--size=64,64", "--steps=4").startswith("--size has 2 numbers, Heat3D has 3 dimensions\n")
    assert refused("--stencil=Jacobi2D", "--size=-64,64", "--steps=4").startswith("the extent S1 must be from 1 to 1000000000")
    assert refused("--printed", "--model=balanced").startswith("--printed is --model=printed, and --model is balanced\n")
    assert refused("--model=best").startswith("no time model is named 'best'")
