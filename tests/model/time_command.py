#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc model time: time_command.py PBC. Answers as text, as data and as a plot, and what is said about wrong questions."""
import os, sys, tempfile
import xml.dom.minidom
from question import Command

PBC = os.path.abspath(sys.argv[1])
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
JACOBI = ["--machine=gtx980", "--stencil=Jacobi2D", "--size=4096,4096", "--steps=1024"]

command = Command(sys.argv[1], "time")
run, refused = command.run, command.refused
figures = command.answer

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)

    # One tile: the specification's figure, its parts, which add up, and advice that the model confirms.
    answer, f = figures(*JACOBI, "--tile=8,64,16")
    assert abs(f["time"] / 0.40815676 - 1) < 1e-6 and f["tiles on a unit at once (k)"] == 6, f
    assert f["ideal time"] < f["time, last groups not full"] < f["time"], f
    assert abs(sum(row[1] for row in answer["tables"][0]["rows"]) / f["time"] - 1) < 1e-9
    assert any("with k = 3 it takes 0.3066 s" in sentence for sentence in answer["explanation"]), answer
    assert abs(figures(*JACOBI, "--tile=8,64,16", "--k=3")[1]["time"] - 0.3066) < 1e-4
    text = run(*JACOBI, "--tile=8,64,16").stdout
    assert text.startswith("Time of a tile of 8 x 64 x 16 of Jacobi2D, 4096 x 4096, 1024 steps, on GTX 980\n"), text
    assert "units without a tile" in text and "0.408157 s" in text, text

    # The printed formulas are for published tables, and say so where they are impossible.
    answer, f = figures(*JACOBI, "--printed")
    assert f["time"] < f["ideal time"] and "no machine can reach" in answer["explanation"][0], answer

    # The best of all tiles.
    answer, f = figures(*JACOBI, "--candidates=5")
    assert (f["best tile"], f["feasible tiles"], f["of these within 10.0 %"]) == ("14 x 64 x 38", 5373, 474), f
    assert len(answer["tables"][1]["rows"]) == 5, answer
    assert figures(*JACOBI, "--within=0")[1]["of these within 0.0 %"] == 1

    counted = figures(*JACOBI, "--counted")[1]
    assert counted["time, wavefronts counted"] <= f["time, wavefronts counted"], (counted, f)

    # A program's stencil: heat flow on a plate, of doubles. With a measured iteration nothing is estimated.
    answer, f = figures(SOURCE + "/samples/heat.pbcc", "--machine=titanx", "--size=4096,4096", "--steps=1024")
    assert "HeatStep.Inside" in answer["title"] and "is an estimate" in answer["explanation"][-1], answer
    measured, f = figures(SOURCE + "/samples/heat.pbcc", "--machine=titanx", "--size=4096,4096", "--steps=1024", "--iteration=4e-8")
    assert not any("estimate" in sentence for sentence in measured["explanation"]), measured
    assert "5 cells and does 5 fadd, 2 fmul" in measured["explanation"][-1], measured
    answer, f = figures(SOURCE + "/tests/programs/jacobi_time.pbcc", "--machine=titanx", "--size=512,512", "--steps=100", "--kernel=Jacobi.rule1")
    assert answer["title"].startswith("Best tiles of Jacobi.rule1, 512 x 512, 100 steps"), answer

    # Wavefronts that grow and shrink.
    answer, f = figures("--machine=gtx980", "--stencil=SmithWaterman", "--size=4096,3072", "--tile=64,64", "--iteration=5e-9")
    assert f["wavefronts"] == 64 + 48 - 1 and f["tiles of the widest"] == 48 and f["time"] > f["ideal time"], f

    run("--machine=gtx980", "--stencil=SmithWaterman", "--size=4096,3072", "--tile=64,64", "--iteration=5e-9", "--plot=table.svg")
    xml.dom.minidom.parse("table.svg")
    printed = figures("--machine=gtx980", "--stencil=SmithWaterman", "--size=4096,3072", "--tile=64,64", "--iteration=5e-9", "--printed")
    assert printed[1]["time"] > f["time"], "as if all wavefronts were as wide as the widest"

    # The best of a table's tiles, and those near it.
    answer, best = figures("--machine=gtx980", "--stencil=SmithWaterman", "--size=4096,3072", "--iteration=5e-9", "--candidates=4")
    rows = answer["tables"][1]["rows"]
    assert best["time"] < f["time"] and len(rows) == 4 and rows[0][3] == best["time"] and all(0 <= row[4] <= 10 for row in rows), answer
    tile, subtile = (side.replace(" x ", ",") for side in best["best tile / subtile"].split(" / "))
    alone = figures("--machine=gtx980", "--stencil=SmithWaterman", "--size=4096,3072", "--iteration=5e-9", f"--tile={tile}", f"--subtile={subtile}")
    assert alone[1]["time"] == best["time"], (alone, best)

    # Without an iteration's time: factors, from which the time of section 1.11 follows.
    answer, f = figures(*JACOBI, "--tile=8,64,16", "--overhead")
    factors = [row[1] for row in answer["tables"][0]["rows"]]
    assert [round(x, 9) for x in factors] == [1, 1.40625, 1.015625, 1], answer
    assert abs(f["over the ideal time"] - 1.40625 * 1.015625) < 1e-12 and f["face of the hexagon (tS1 + tT / 2)"] == 16, f
    bound = f["bound by computing from an iteration of"]
    for part, kind in ((0.99, "bound by memory"), (1.01, "bound by computing")):
        answer, _ = figures(*JACOBI, "--tile=8,64,16", f"--iteration={part * bound}")
        assert any(kind in sentence for sentence in answer["explanation"]), (part, answer)
    answer, f = figures("--machine=h200", "--stencil=Heat3D", "--size=512,512,512", "--steps=128", "--plot=factor.svg")
    xml.dom.minidom.parse("factor.svg")
    assert answer["explanation"][-1] == "How long an iteration of Heat3D takes on H200 is not known.", answer
    rows = answer["tables"][1]["rows"]
    assert f["over the ideal time"] >= 1 and all(a[3] < b[3] and a[5] > b[5] for a, b in zip(rows, rows[1:])), rows
    # As printed only the face counts.
    faces = figures("--machine=h200", "--stencil=Heat3D", "--size=512,512,512", "--steps=128", "--printed")[1]
    assert faces["face of the hexagon (tS1 + tT / 2)"] >= f["face of the hexagon (tS1 + tT / 2)"], faces
    assert faces["overhead as printed"] == 512 * 128 / faces["face of the hexagon (tS1 + tT / 2)"], faces

    # A plot, and 1-D and 3-D. (Times of a machine without the stencil need the iteration's.)
    run(*JACOBI, "--tile=8,64,16", "--plot=height.svg")
    xml.dom.minidom.parse("height.svg")
    figures("--machine=gtx980", "--stencil=Heat3D", "--size=384,384,384", "--steps=128", "--tile=4,8,32,4")
    figures("--machine=gtx980", "--stencil=Jacobi1D", "--size=1000000", "--steps=100", "--iteration=3.39e-8")

    # Machines: those that come with pbc, by name; others by path.
    own = open(SOURCE + "/compiler/model/machines/gtx980.toml").read()
    with open("own.toml", "w") as out:
        out.write(own.replace("units = 16", "units = 32"))
    assert figures("--machine=own.toml", *JACOBI[1:], "--tile=8,64,16")[1]["rounds of a wavefront"] == 1
    with open("wrong.toml", "w") as out:
        out.write(own.replace("units = 16", "unit = 16"))
    assert refused("--machine=wrong.toml", *JACOBI[1:]).startswith("wrong.toml:5:1: a machine has no 'unit' (did you mean 'units'?); known: "), run
    assert refused("--machine=gtx98", *JACOBI[1:]) == (
        "no machine is named 'gtx98' (did you mean 'gtx980'?)\n"
        "  help: known: 'epyc7001', 'gtx980', 'h100', 'h200', 'k20c', 'titanx' and 'titanx_pascal'; or the path of a file that ends in .toml\n")
    assert refused("--machine=none.toml", *JACOBI[1:]) == "the machine's file none.toml cannot be read\n  help: there is no such file\n"
    assert "PBC_MACHINES" in refused("--machine=gtx980", *JACOBI[1:], PBC_MACHINES="/nowhere")

    # Wrong questions.
    assert refused(*JACOBI, "--tile=8,64,15") == (
        "tT, the height of a hexagon, must be even and from 2 to 1048576, not 15\n  help: it has a lower and an upper half\n")
    assert refused(*JACOBI, "--tile=8,64") == (
        "--tile must be 3 numbers, not 2\n  help: tS1 to tS of the last dimension, then the height tT\n")
    assert refused(*JACOBI, "--tile=800,640,16") == (
        "a tile of 800 x 640 x 16 needs 1073538 words of fast memory; on GTX 980 a block may have 12288\n"
        "  help: make the tile smaller, or leave --tile out to see the best ones\n")
    assert refused(*JACOBI, "--tile=8,64,16", "--k=7").startswith("k must be from 1 to 6, not 7\n")
    assert refused(*JACOBI[:2], "--size=-1,4096", "--steps=8") == "the extent S1 must be from 1 to 1000000000, not -1\n"
    assert refused(*JACOBI[:3]) .startswith("--steps is missing\n")
    assert refused(*JACOBI, "--iteration=-1").startswith("--iteration must be more than 0 and at most 1, not -1\n")
    assert refused(*JACOBI, "--iteration=nan").startswith("--iteration must be more than 0 and at most 1, not nan\n")
    assert refused(*JACOBI[:1], *JACOBI[2:]).startswith("give either a program or --stencil\n")
    assert refused(*JACOBI[:1], "--stencil=Jacobi3D", "--size=1,1,1").startswith("no stencil is named 'Jacobi3D' (did you mean 'Jacobi1D'?)\n")
    assert refused(SOURCE + "/samples/sort.pbcc", *JACOBI[:1], *JACOBI[2:]).startswith(f"no rule of {SOURCE}/samples/sort.pbcc is a stencil\n")
    assert "did you mean 'HeatStep.Inside'?" in refused(SOURCE + "/samples/heat.pbcc", "--kernel=HeatStep.inside", *JACOBI[:1], *JACOBI[2:])
    # Only the compiler reports what is wrong with a program.
    error = run("none.pbcc", *JACOBI[:1], *JACOBI[2:], status=1).stderr
    assert error.startswith("pbc: error: cannot read none.pbcc") and error.count("error:") == 1, error
    assert run("--stencil=Jacobi2D", "--size=1,1", status=1).stderr.startswith("pbc model time: error: --machine is required\n")
    assert run(*JACOBI, "--size=99999999999999999999,1", status=1).stdout == ""

    # What is given counts, also if it is 0.
    assert refused(*JACOBI, "--iteration=0").startswith("--iteration must be more than 0 and at most 1, not 0")
    assert refused(*JACOBI, "--iteration=1e300").startswith("--iteration must be more than 0")
    assert refused(*JACOBI, "--k=0").startswith("--k must be at least 1, not 0")
    assert refused(*JACOBI, "--candidates=-1").startswith("--candidates must be at least 1, not -1")
    assert refused(*JACOBI[:2], "--size=4096,4096").startswith("--steps is missing")
    assert refused(*JACOBI[:2], "--size=4096,,4096", "--steps=8").startswith("`--size=4096,,4096` has a comma without")
    # What would not be looked at is refused.
    for extra in ("--within=0.3", "--candidates=3", "--counted"):
        error = run(*JACOBI, "--tile=8,64,16", extra, status=1).stderr
        assert "excludes" in error and error.count("\n") == 2, error
    assert run(*JACOBI, "--overhead", "--iteration=1e-9", status=1).stderr.startswith("pbc model time: error: --")
    assert run(*JACOBI, "--kernel=HeatStep.Inside", status=1).stderr.startswith("pbc model time: error: --kernel requires program\n")
    assert refused(*JACOBI, "--subtile=4,4").startswith("--subtile is of SmithWaterman")
    assert refused("--machine=", *JACOBI[1:]).startswith("`--machine=` has nothing behind it")
    assert refused(*JACOBI[:2], "--size=99999999999999999999,4096", "--steps=8").startswith("`--size=99999999999999999999,4096` is more than 64 bits")
    table = ["--machine=gtx980", "--stencil=SmithWaterman", "--size=4096,4096", "--iteration=5e-9"]
    assert refused(*table, "--counted").startswith("of SmithWaterman wavefronts are always counted")
    assert refused(*table, "--subtile=4,4").startswith("--subtile is of one tile")
    assert refused(*table, "--k=1000").startswith("no tile of SmithWaterman fits")
    assert refused(*table, "--within=nan").startswith("the part of the minimum must be 0 or more")
    wrong = Command(sys.argv[1], "tme")
    assert wrong.refused(*JACOBI).startswith("there is no model 'tme' (did you mean 'time'?)\n  help: there are 'area', "), wrong
    with open("slow.toml", "w") as out:
        out.write(own.replace("barrier = 7.96e-10", "barrier = 1e300"))
    assert refused("--machine=slow.toml", *JACOBI[1:]) == "slow.toml:12:11: 'barrier' must be from 1e-15 to 1000 s, not 1e+300\n"
    table = ["--machine=gtx980", "--stencil=SmithWaterman", "--size=4096,4096", "--tile=64,64", "--iteration=5e-9"]
    assert refused(*table, "--steps=10").startswith("SmithWaterman has no --steps")
    # Without --k the best: a full group of tiles is charged also where a wavefront has fewer.
    best = figures(*table)[1]
    for k in (1, 2, 8, 32):
        assert figures(*table, f"--k={k}")[1]["time"] >= best["time"], k
    assert best["tiles on a unit at once (k)"] < 32, best

print("ok")
