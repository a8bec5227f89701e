# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Tasks of the runtime: cost of one, scaling, an idle scheduler."""
import re
from samples import call, row, verdict, wait_for_quiet


def measure(tools):
    if not tools.bench_task:
        call("cmake", "--build", tools.build, "--target", "bench_task")
    wait_for_quiet()
    out = call(tools.bench_task or tools.build / "bin" / "bench_task")
    print(out)
    for line in out.splitlines():
        if m := re.match(r"(spawn.run.join of an empty task):\s+([\d.]+) ns", line):
            row("task: " + m[1], f"{m[2]} ns", "", "", "< 150 ns", float(m[2]) < 150)
        elif m := re.match(r"(fibonacci.*): 1 worker.* speed-up ([\d.]+) \(best of each: ([\d.]+)\)", line):
            row("task: " + m[1] + ", 1 to 2 workers", f"{m[2]} ({m[3]})", "", "", ">= 1.8", verdict(float(m[2]) >= 1.8, float(m[3]) >= 1.8))
        elif m := re.match(r"(processor use of an idle scheduler).*:\s+([\d.]+) %", line):
            row("task: " + m[1], f"{m[2]} %", "", "", "< 1 %", float(m[2]) < 1)
