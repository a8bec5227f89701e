#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc model measure: measure_command.py PBC. A file that the other models read, for the processor and for a device."""
import json, os, subprocess, sys, tempfile, time, tomllib
import xml.dom.minidom
from question import Command

run = Command(sys.argv[1]).run

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)

    # The processor: a file with the spread of each figure, which says what was measured.
    begin = time.time()
    text = run("measure", "-o", "here.toml", "--seconds=0.5").stdout
    assert time.time() - begin < 60, "measuring half a second takes no minute on any machine"
    assert "Written to here.toml" in text and "an iteration on a lane" in text, text
    with open("here.toml", "rb") as f:
        machine = tomllib.load(f)
    assert machine["kind"] == "processor" and machine["units"] >= 1 and "measured" in machine["source"], machine
    assert [m["name"] for m in machine["memory"]][-1] == "global", machine
    for figure in [machine["clock"], machine["barrier"], machine["launch"], *machine["iteration"].values()]:
        value, spread = (figure["value"], figure["spread"]) if isinstance(figure, dict) else (figure, 0)
        assert value > 0 and spread >= 0, machine
    assert set(machine["iteration"]) >= {"Jacobi1D", "Jacobi2D", "Heat3D"}, machine

    # Resources: each with its best sample, which is not slower than the median, and rates of one core and of all.
    resources = {r["name"]: r for r in machine["resource"]}
    assert set(resources) >= {"issue", "load", "store", "add_f32", "multiply_f64", "divide_f64", "sqrt_f32", "add_i64"}, resources
    for name, resource in resources.items():
        rates = ["unit", "machine"] + (["unit_numbers", "machine_numbers"] if name not in ("issue", "jump") else [])
        if name == "multiply_i64" and "unit_numbers" not in resource:
            rates = ["unit", "machine"]  # only AVX-512 multiplies vectors of them
        assert all(resource[rate]["best"] >= resource[rate]["value"] > 0 for rate in rates), resource
        assert "latency" in resource or name in ("issue", "store", "gather", "scatter", "jump"), resource
        assert "latency" not in resource or 0 < resource["latency"]["best"] <= resource["latency"]["value"], resource
        assert "lane" not in resource, resource
    assert "Resources, best samples" in text and "bandwidth, one unit" in text, text

    # Other commands read it.
    answer = json.loads(run("time", "--machine=here.toml", "--stencil=Jacobi2D", "--size=1000,1000", "--steps=100", "--json").stdout)
    figures = {f["name"]: f["value"] for f in answer["figures"]}
    assert figures["time"] >= figures["ideal time"] > 0, figures

    # A device: the runtime's own, which needs no driver.
    answer = json.loads(run("measure", "--device=fake", "-o", "fake.toml", "--seconds=0.5", "--json", "--plot=fake.svg").stdout)
    assert any(row[0] == "launch" and row[1] > 0 for row in answer["tables"][0]["rows"]), answer
    with open("fake.toml", "rb") as f:
        device = tomllib.load(f)
    assert device["kind"] == "gpu" and "ASSUMED" in device["source"], device
    for memory in device["memory"]:
        assert memory["latency"]["value"] > 0 and memory["bytes_per_second"]["value"] > 0, memory

    resources = {r["name"]: r for r in device["resource"]}
    assert set(resources) >= {"load", "add_f32", "multiply_f32", "fma_f32", "divide_f32", "sqrt_f32", "fma_f64"}, resources
    for name, resource in resources.items():
        assert all(resource[level]["value"] > 0 for level in ("lane", "unit", "machine")), resource
        assert name == "load" or resource["latency"]["value"] > 0, resource

    # What warps cost: measured, each figure with its spread; gaps are at most latencies. The emulator reads the file.
    warp = device["warp"]
    assert set(warp) >= {"dram", "l2", "l1", "shared", "f32", "f64", "integer", "special"}, warp
    for name, cost in warp.items():
        assert cost["source"] == "measured" and (name in ("start", "lines") or cost["latency"]["value"] > 0), (name, cost)
        assert name == "barrier" or 0 < cost["gap"]["value"], (name, cost)
    tables = {t["title"]: t for t in answer["tables"]}
    lines = next(t for title, t in tables.items() if title.startswith("An instruction of a warp"))
    assert {"knee", "latency/gap", "deviation [%]"} <= set(lines["columns"]), lines
    banks = next(t for title, t in tables.items() if title.startswith("Turns of the banks"))
    assert [[row[0], row[2]] for row in banks["rows"]] == [[1, 1], [2, 2], [3, 1], [4, 4], [8, 8], [16, 16], [32, 32]], banks
    with open("copy.pbcc", "w") as f:
        f.write("transform Copy from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }\n")
    emulated = subprocess.run([sys.argv[1], "emulate", "copy.pbcc", "--machine=./fake.toml", "--json"], capture_output=True, text=True, timeout=120)
    if "has no" not in emulated.stderr:  # a figure for registers or issue that a driver does not say
        assert emulated.returncode == 0 and json.loads(emulated.stdout)["machine"] == device["name"], emulated.stderr

    run("measure", "--seconds=0.1", "--plot=here.svg")
    for plot in ("fake.svg", "here.svg"):
        xml.dom.minidom.parse(plot)

    # Wrong questions; nothing is written.
    assert "leave --printed away" in run("measure", "--printed", status=1).stderr
    error = run("measure", "--device=opencl:77", "-o", "no.toml", status=1).stderr
    assert error.startswith("pbc model: error: no device 'opencl:77' could be opened"), error
    error = run("measure", "--seconds=-1", "-o", "no.toml", status=1).stderr
    assert error == "pbc model: error: --seconds must be from 0.1 to 600, not -1\n", error
    assert not os.path.exists("no.toml")
    error = run("measure", "-o", "/nowhere/at/all.toml", "--seconds=0.1", status=1).stderr
    assert "/nowhere/at/all.toml" in error, error

print("ok")
