#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc model area: area_command.py PBC. Figures, shares, the plot, and what is said about chips that cannot be."""
import os, stat, sys, tempfile
import xml.dom.minidom
from question import Command


command = Command(sys.argv[1], "area")
run, refused = command.run, command.refused

def answer(*arguments):
    a, figures = command.answer(*arguments)
    return {**a, "figures": figures, "tables": {t["title"]: t for t in a["tables"]}}

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)

    # Two chips, by name and by figures.
    for name, area, bare in (("gtx980", 397.989536, 237.489), ("titanx", 596.984304, 356.234)):
        a = answer(f"--machine={name}")
        assert abs(a["figures"]["area"] - area) < 1e-6 and abs(a["figures"]["without caches"] - bare) < 1e-3, a
        parts = a["tables"]["Parts"]["rows"]
        assert abs(sum(row[1] for row in parts) - area) < 1e-6 and abs(sum(row[2] for row in parts) - 100) < 1e-9
    plain = answer("--units=16", "--lanes=128", "--shared=96", "--l1=48", "--l2=2048")
    assert plain["figures"]["area"] == answer("--machine=gtx980")["figures"]["area"], plain
    bare = answer("--machine=gtx980", "--no-caches")
    assert bare["figures"]["area"] == bare["figures"]["without caches"] == plain["figures"]["without caches"], bare
    assert "published" not in bare["figures"] and not any("published area" in s for s in bare["explanation"]), bare

    # A change costs what the changed chip has more.
    a = answer("--machine=gtx980")
    changes = {row[0]: row[1] for row in a["tables"]["What a change costs"]["rows"]}
    wider = answer("--machine=gtx980", "--lanes=160")
    assert abs(changes["32 lanes more in each unit"] - wider["figures"]["area"]) < 1e-9, (changes, wider)
    assert a["explanation"][0] == ("The largest part is overhead: 25.8 % of the area. Lanes with their registers, which compute, "
                                   "have 27.5 %."), a["explanation"]

    # As printed: the fixed part of the L2 once, and the short form.
    printed = answer("--machine=gtx980", "--printed")
    assert abs(printed["figures"]["area"] - 386.462) < 1e-3 and abs(printed["figures"]["short form"] - 394.6784) < 1e-9, printed

    # Published tables.
    a = answer("--published")
    for row in a["tables"]["Chips"]["rows"]:
        assert abs(row[3]) < 1, row
    for row in a["tables"]["Designs without caches (table C.2)"]["rows"]:
        assert int(row[5]) == row[4], row

    # Text says the same, and the plot is a picture.
    text = run("--machine=gtx980", "--plot=area.svg").stdout
    assert "397.99 mm2  (C.6)" in text, text
    svg = xml.dom.minidom.parse("area.svg").documentElement
    assert svg.tagName == "svg" and len(svg.getElementsByTagName("path")) > 7

    # Chips that cannot be: one message, nothing else.
    assert "--plot: a plot is SVG: name it x.svg" in run("--machine=gtx980", "--plot=x.png", status=1).stderr
    assert refused() == ("which chip? Without --machine, --units, --lanes and --shared are needed\n  help: --machine=gtx980, or --units=16 --lanes=128 --shared=96, and --l1, --l2 if it has "
                         "caches\n")
    assert refused("--units=-4", "--lanes=128", "--shared=96").startswith("a chip with -4 units: from 1 to 100000 can be computed\n")
    assert refused("--machine=gtx980", "--shared=-1").startswith("a chip with -1 kB of shared memory a unit: from 0 to 1e+09 can")
    assert refused("--machine=gtx980", "--l2=nan").startswith("a chip with nan kB of L2: from 0 to 1e+09 can be computed\n")
    assert "gtx980" in refused("--machine=gtx890")
    assert refused("--machine=k20c") == ("the description of K20c does not say how many bytes of registers a lane has\n"
                                         "  help: add the figure to its machine file, or give --registers\n")
    assert answer("--machine=k20c", "--registers=1.5")["figures"]["area"] > 0
    assert refused("--machine=gtx980", "--plot=none/area.svg")

    # Contradictions, and numbers that are not what they look like.
    assert refused("--machine=gtx980", "--no-caches", "--l2=100") == (
        "--no-caches leaves out what --l1 and --l2 ask for\n  help: give one or the other\n")
    assert refused("--units", "016", "--lanes=128", "--shared=1") == (
        "`016` begins with a 0\n  help: write the number without it\n")

    assert "excludes" in run("--published", "--units=3", status=1).stderr
    run("--published", "--plot=published.svg")
    xml.dom.minidom.parse("published.svg")

    # A plot follows links, keeps permissions, and replaces no pipe.
    with open("target.svg", "w") as f:
        f.write("old")
    os.chmod("target.svg", 0o640)
    os.symlink("target.svg", "link.svg")
    run("--machine=gtx980", "--plot=link.svg")
    assert os.path.islink("link.svg") and open("target.svg").read().startswith("<svg"), os.listdir()
    assert os.stat("target.svg").st_mode & 0o777 == 0o640
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    run("--machine=gtx980", "--plot=pipe")
    assert os.read(reader, 4) == b"<svg" and stat.S_ISFIFO(os.stat("pipe").st_mode)
