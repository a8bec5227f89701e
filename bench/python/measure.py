# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Calls from Python: what one costs, and products, sorts and blurs beside those of NumPy and SciPy, on one and on all threads.

Needs the module of scripts/python-tests, and SciPy in its environment, which this installs."""
import json
import os
from samples import ROOT, call, compared, row

HERE = ROOT / "bench" / "python"
PYTHON = ROOT / "build" / "python"
UNSET = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")  # NumPy's own OpenBLAS knows this processor


def measure(tools):
    python = PYTHON / "venv" / "bin" / "python"
    if not python.exists():
        row("python: all", "", "", "", "scripts/python-tests makes the module", None)
        return
    call(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "scipy")
    environment = {name: value for name, value in os.environ.items() if name not in UNSET}
    environment |= {"PBC": str(tools.pbc.resolve()), "PYTHONPATH": str(PYTHON / "package"), "PBC_PYTHON_CACHE": str(tools.work / "python"), "PB_DEVICES": "none"}
    for threads in (1, 2):
        found = json.loads(call(python, HERE / "rows.py", threads, tools.rounds, env=environment | {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}))
        on = f"{threads} thread{'s' if threads > 1 else ''}"
        for r in found["calls"]:
            row(f"python: {r['name']}, {on}", f"{r['ns']:.0f} ns", "", "", f"< {r['bar']:.0f} ns" if r["bar"] else "", r["ns"] < r["bar"] if r["bar"] else None)
        for r in found["beside"]:
            compared(f"python: {r['name']}, {on}", r["ours"], r["peer"], 1.0, against=r["against"])
