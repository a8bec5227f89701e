# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""How long pbc takes: nothing cached, nothing changed, one transform changed; 200 rules against 50."""
import os
import re
import resource
import statistics
import time
from pathlib import Path
from samples import call, compared, in_turns, row, shown, verdict

HERE = Path(__file__).resolve().parent


def measure(tools):
    source = HERE / "five_kernels.pbcc"
    env = dict(os.environ, PBC_CACHE_DIR=str(tools.work / "cache"), XDG_CACHE_HOME=str(tools.work / "cache"))
    program = tools.work / "five_kernels"

    def pbc(path, *options):
        begin = time.monotonic()
        out = call(tools.pbc, path, "-o", program, *options, env=env)
        return time.monotonic() - begin, out

    def limited(name, samples, bar=None):
        row(name, shown(statistics.median(samples)), "", f"(best {shown(min(samples))})", f"<= {bar} s" if bar else "-",
            bar and verdict(statistics.median(samples) <= bar, min(samples) <= bar))

    def with_user_time(*arguments):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        pbc(*arguments)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    limited("compile: five kernels, nothing cached", in_turns(tools.rounds, lambda: pbc(source, "--no-cache")[0])[0], 0.6)
    limited("compile: the same, processor time", in_turns(3, lambda: with_user_time(source, "--no-cache"))[0])
    pbc(source)
    limited("compile: nothing changed", in_turns(3 * tools.rounds, lambda: pbc(source)[0])[0], 0.05)

    text, copy, divisor = source.read_text(), tools.work / source.name, 17
    copy.write_text(text)
    pbc(copy)

    def changed():
        nonlocal divisor
        divisor += 1
        copy.write_text(text.replace("return sum / 16;", f"return sum / {divisor};"))
        seconds, out = pbc(copy, "--time-passes")
        anew.append(len(re.findall(r"front end", out)))
        return seconds

    anew = []
    limited("compile: one of six transforms changed", in_turns(tools.rounds, changed)[0])
    row("compile: units compiled anew then", str(max(anew)), "", "", "1", max(anew) == 1)

    # Near-linear: four times as many rules may take five times as long, in processor time.
    for kind in ("chain", "pieces", "transforms"):
        sources = [tools.work / f"{kind}{count}.pbcc" for count in (200, 50)]
        for path in sources:
            path.write_text(call("python3", HERE / "many_rules.py", path.stem[len(kind):], kind))
        samples = in_turns(3, *[lambda path=path: with_user_time(path, "--no-cache") for path in sources])
        compared(f"compile: {kind} of 200 rules, against 50", *samples, 5)
