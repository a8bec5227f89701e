# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Products of transposed views against the same product of whole matrices, one thread."""
from pathlib import Path
from samples import call, compared, in_turns, seconds

HERE = Path(__file__).resolve().parent
TURNED = ("LeftTurned", "RightTurned", "BothTurned", "ResultTurned", "AllTurned")


def measure(tools):
    program = tools.work / "views"
    call(tools.pbc, HERE / "views.pbcc", "-o", program)
    for n in (64, 256, 1024):
        runs = [lambda name=name: seconds(program, f"--transform={name}", f"--n={n}", "--time", "--threads=1", "--devices=none") for name in ("Product", *TURNED)]
        plain, *turned = in_turns(tools.rounds, *runs)
        for name, samples in zip(TURNED, turned):
            compared(f"views: {name}, {n}", samples, plain, 1.2, against="whole matrices")
