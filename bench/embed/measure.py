# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What a call of a library from C costs."""
import re
from pathlib import Path
from samples import call, row

HERE = Path(__file__).resolve().parent


def measure(tools):
    library, program = tools.work / "libcalls.so", tools.work / "calls"
    call(tools.pbc, "--shared", HERE / "calls.pbcc", "-o", library)
    call("cc", "-O2", "-march=native", f"-I{tools.work}", HERE / "calls.c", "-o", program, f"-L{tools.work}", "-lcalls",
         f"-Wl,-rpath,{tools.work}", "-lpthread", "-ldl")
    out = call(program)
    print(out)
    for line in out.splitlines():
        name, figure = re.match(r"(.*?) +([\d.]+) ns", line).groups()
        if name.startswith(("nothing", "recursion")):
            row(f"embed: a call from C, {name}", f"{figure} ns", "", "", "< 200 ns", float(figure) < 200)
