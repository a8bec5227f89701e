#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc model energy: energy_command.py PBC. One tile, the front over tiles, costs from measurements, and what is said about
wrong questions."""
import os, random, sys, tempfile
import xml.dom.minidom
from question import Command

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
JACOBI = ["--size=4096,4096", "--steps=1024"]
TILE = [*JACOBI, "--tile=8,64,16"]

command = Command(sys.argv[1], "energy")
run, refused = command.run, command.refused

def answer(*arguments):
    a, figures = command.answer(*arguments)
    return {**a, "figures": figures, "tables": {t["title"].split(":")[0]: t["rows"] for t in a["tables"]}}

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)

    # The specification's figures; the parts add up.
    for costs, energy in (("bench", 64.01873806404267), ("regression", 67.83353269056853)):
        a = answer(*TILE, "--time=0.5", f"--costs={costs}")
        assert abs(a["figures"]["energy"] - energy) < 1e-9, a
        assert abs(sum(row[3] for row in a["tables"]["Where it goes"]) - energy) < 1e-9
        assert abs(a["figures"]["energy-delay product"] - energy / 2) < 1e-9
    a = answer("--stencil=SmithWaterman", "--size=4096,4096", "--tile=256,256", "--time=0.02", "--costs=bench")
    assert abs(a["figures"]["energy"] - 0.9773714964479999) < 1e-12
    assert a["explanation"][0].startswith("Most energy goes into static power: 98.2 % of it."), a
    line = ["--stencil=Jacobi1D", "--size=65536", "--steps=1024", "--tile=256,64", "--time=0.01", "--costs=bench"]
    assert abs(answer(*line)["figures"]["of a tile"] - 1.179648e-5) < 1e-14
    assert abs(answer(*line, "--kappa=1")["figures"]["of a tile"] - 5.973504e-6) < 1e-15
    assert answer(*line)["figures"]["tiles"] > answer(*line, "--printed")["figures"]["tiles"] == 65536 * 1024 / (256 * 64)

    # The time is predicted where it is not given; a guess is called one.
    a = answer(*TILE)
    assert a["figures"]["time"] > 0 and any("rests on a guess" in s for s in a["explanation"]), a
    other = answer(*TILE, "--machine=gtx980", "--costs=k20c:bench")
    assert abs(other["figures"]["time"] - 0.40815676) < 1e-8
    assert any("those of K20c: another machine has others" in s for s in other["explanation"]), other

    # Over all tiles: the front falls, and its ends are the best tiles.
    a = answer(*JACOBI, "--plot=front.svg")
    front = next(rows for title, rows in a["tables"].items() if title.startswith("Pareto front"))
    assert all(p[2] < q[2] and p[3] > q[3] for p, q in zip(front, front[1:])), front
    best = a["tables"]["Best tiles"]
    assert best[0][2:4] == front[0][2:4] and best[1][2:4] == front[-1][2:4] and best[2][4] <= min(best[0][4], best[1][4]), best
    assert a["figures"]["tiles tried"] == 5373
    for tile in (best[0][1], best[1][1]): # each is what asking for it gives
        one = answer(*JACOBI, "--tile=" + tile.replace(" x ", ","))
        assert one["figures"]["energy"] in (best[0][3], best[1][3]), one
    for file, arguments in (("tile.svg", TILE), ("line.svg", line)):
        run(*arguments, f"--plot={file}")
        assert xml.dom.minidom.parse(file).documentElement.tagName == "svg"
    xml.dom.minidom.parse("front.svg")
    for stencil in ("--stencil=Jacobi1D --size=65536 --steps=1024", "--stencil=SmithWaterman --size=8192,8192 --iteration=3e-8"):
        assert answer(*stencil.split())["figures"]["tiles tried"] > 100

    # A program's stencil: of doubles, with 5 reads and a write of a point.
    heat = os.path.join(SOURCE, "samples", "heat.pbcc")
    a = answer(heat, *TILE, "--time=0.5")
    spent = {row[0]: row[1] for row in a["tables"]["Where it goes"]}
    volume = 64 * 16 * (2 * 8 + 14) / 2
    assert "HeatStep.Inside" in a["title"] and spent["shared memory"] == 12 * volume and spent["global memory"] == 2 * 5120, a
    assert spent["floating additions"] == 5 * volume and spent["floating multiplications"] == 2 * volume, a
    assert any("of 4 bytes" in s for s in a["explanation"]) and answer(heat, *JACOBI)["figures"]["tiles tried"] > 500
    assert refused(heat, "--stencil=Jacobi2D", *TILE).startswith("both a program and --stencil\n")
    assert "HeatStep.Inside" in refused(heat, "--kernel=None", *TILE)

    # Measurements that pbc itself computed, with noise: the costs are found again, and a machine file uses them.
    random.seed(3)
    costs = {"static": 53, "global_shared": 3.17e-9, "shared_register": 1.84e-10, "fadd": 5.02e-11, "fmul": 3.51e-11}
    with open("m.csv", "w") as f:
        f.write("stencil,S1,S2,T,tS1,tS2,tT,seconds,joules\n")
        for _ in range(300):
            s1, s2, t = (random.choice((2048, 4096, 8192)) for _ in range(3))
            a, b, h = random.choice((1, 8, 32, 66)), random.choice((32, 64, 96)), random.choice((2, 8, 16, 28))
            volume = b * h * (2 * a + h - 2) / 2
            tiles = t * s1 * (s2 + h) / volume
            dynamic = tiles * (costs["global_shared"] * 2 * b * (a + 2 * h) +
                               volume * (6 * costs["shared_register"] + 4 * costs["fadd"] + costs["fmul"]))
            seconds = dynamic / 50 * random.uniform(0.3, 2)
            f.write(f"Jacobi2D,{s1},{s2},{t},{a},{b},{h},{seconds!r},{(dynamic + 53 * seconds) * random.uniform(0.97, 1.03)!r}\n")
    a = answer("--calibrate=m.csv", "-o", "own.toml", "--plot=fit.svg")
    assert abs(a["figures"]["static"] / 53 - 1) < 0.05 and abs(a["figures"]["global_shared"] / 3.17e-9 - 1) < 0.1, a
    rows = a["tables"]["How well they predict"]
    assert rows[-1][:2] == ["all", 30] and rows[-1][3] == 270 and rows[-1][4] < 3, rows
    assert any("left at 0: fadd, fmul, iadd, imax." in s for s in a["explanation"]), a # each iteration does the same
    xml.dom.minidom.parse("fit.svg")
    used = answer(*TILE, "--time=0.5", "--machine=own.toml")
    assert "calibrated" in used["title"] and abs(used["figures"]["energy"] / 67.83 - 1) < 0.05, used
    assert answer("--calibrate=m.csv")["figures"] == a["figures"] != answer("--calibrate=m.csv", "--seed=2")["figures"]
    assert "--seed: a seed is not negative" in run("--calibrate=m.csv", "--seed=-1", status=1).stderr

    # Wrong questions: one message each.
    assert refused("--steps=4") == "--size of Jacobi2D has 0 numbers\n  help: give two numbers, such as 4096,4096\n"
    assert refused("--size=4096,4096").startswith("how many steps of Jacobi2D?\n")
    assert refused("--size=-4096,4096", "--steps=4").startswith("the first extent is -4096: it must be from 1 to 1000000000000\n")
    assert refused(*JACOBI, "--tile=8,64").startswith("--tile of Jacobi2D has 2 numbers\n")
    assert refused(*JACOBI, "--tile=8,64,15").startswith("a hexagon of 15 steps: its lower and its upper half are equally high\n")
    assert refused(*JACOBI, "--tile=800,64,16").startswith("a tile of 800 x 64 x 16 needs ")
    assert refused(*TILE, "--time=-1").startswith("a run of -1 seconds\n")
    assert refused(*TILE, "--time=nan").startswith("a run of nan seconds\n")
    assert refused(*JACOBI, "--time=1").startswith("--time is of one tile, and --tile is not there\n")
    assert refused(*TILE, "--costs=guess") == ('K20c has no energy figures named "guess"\n  help: it has: bench, regression\n')
    assert refused(*TILE, "--machine=gtx980") == ("the description of GTX 980 has no energy figures\n  help: take those of another "
                                                  "machine with --costs=k20c:bench, or measure: pbc model energy --calibrate=FILE.csv\n")
    assert refused("--stencil=Heat3D", *TILE).startswith('the energy of "Heat3D" is not modelled\n')
    assert refused("--stencil=SmithWaterman", "--size=64,64").startswith("how long an iteration of SmithWaterman takes on K20c is not ")
    assert refused("--stencil=SmithWaterman", "--size=64,64", "--steps=3").startswith("SmithWaterman has no steps")
    assert refused("--stencil=Jacobi1D", "--size=64", "--steps=64", "--tile=8,8", "--subtile=9").startswith("a sub-tile of 9 in a tile of 8\n")
    assert refused("--stencil=Jacobi1D", "--size=64", "--steps=64", "--subtile=4").startswith("--subtile is of one tile, and --tile is not there\n")
    # What would not be looked at is refused.
    assert refused(*TILE, "--subtile=4").startswith("--subtile is of Jacobi1D and SmithWaterman\n")
    assert refused(*TILE, "--kappa=1").startswith("--kappa is of Jacobi1D, not of Jacobi2D\n")
    assert refused("--calibrate=m.csv", "--printed").startswith("costs are found with the corrected counts\n")
    for wrong in ([*TILE, "--calibrate=m.csv"], [*TILE, "--seed=3"], [*TILE, "--kernel=a"], [*TILE, "--time=1", "--iteration=1e-8"]):
        error = run(*wrong, status=1).stderr
        assert ("excludes" in error or "requires" in error) and error.count("\n") == 2, error
    assert refused("--calibrate=none.csv") == "cannot read the measurements in none.csv\n  help: give a CSV file\n"
    assert refused("--calibrate=.").startswith("cannot read the measurements in .\n")
    with open("few.csv", "w") as f:
        f.write("\n".join(open("m.csv").read().splitlines()[:4]))
    assert refused("--calibrate=few.csv").startswith("1 measurements to find 3 figures from\n")
    with open("bad.csv", "w") as f:
        f.write("stencil,S1,S2,T,tS1,tS2,tT,seconds,joules\nJacobi2D,64,64,x,8,32,4,1,1\n")
    assert refused("--calibrate=bad.csv") == 'bad.csv:2: "x" is not a number for T\n  help: it is a whole number\n'
    assert refused(*TILE, "-o", "x.toml").startswith("--output is of --calibrate\n")
