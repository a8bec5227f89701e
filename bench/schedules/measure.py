# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Schedules of small steps against those that the default policy makes: the product of matrices against blocks in registers,
and a stencil in three dimensions against vectors along its rows."""
import statistics
from pathlib import Path
from samples import call, in_turns, row, seconds, shown, verdict

HERE = Path(__file__).resolve().parent
# One task, so that only the schedules differ.
CASES = [("Product", "Cells", "steps", "blocks", f"--n={n}", 0.8) for n in (256, 512, 1024, 1001)] + \
        [("Heat", "Inside", name, "cpu", f"--n={n}", None) for name in ("column", "planes") for n in (100, 256)]


def measure(tools):
    program = tools.work / "schedules"
    call(tools.pbc, HERE / "product.pbcc", "-o", program)

    def run(transform, rule, schedule, size):
        place = "cpu" if schedule == "cpu" else f"cpu:{schedule}"
        configuration = tools.work / f"{transform}_{schedule}.cfg"
        configuration.write_text(f'[{transform}]\nsplit_size = 2000000000\nplace_{rule} = "{place}"\n')
        return [program, f"--transform={transform}", f"--config={configuration}", "--threads=1", size]

    for transform, rule, ours, theirs, size, bar in CASES:
        if call(*run(transform, rule, ours, size), "--hash") != call(*run(transform, rule, theirs, size), "--hash"):
            raise SystemExit(f"schedules: {ours} gives another result than {theirs}")
        mine, peers = in_turns(tools.rounds, *(lambda s=s: seconds(*run(transform, rule, s, size), "--time") for s in (ours, theirs)))
        by_median, by_best = statistics.median(peers) / statistics.median(mine), min(peers) / min(mine)
        row(f"schedules: {transform} {size}, {ours}", shown(statistics.median(mine)), f"{theirs}: {shown(statistics.median(peers))}",
            f"{by_median:.2f} ({by_best:.2f}) times as fast", f">= {bar}" if bar else "",
            verdict(by_median >= bar, by_best >= bar) if bar else None)
