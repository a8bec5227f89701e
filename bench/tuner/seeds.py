#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much sooner does `pbc tune ./prog` measure a fast configuration at the full size where a model seeds it?

  seeds.py PBC [--machine=here.toml] [--budget=12] [--only=NAME]

Each program is compiled, and tuned twice from nothing for so many seconds: plainly, and with --bounds=FILE --guide, predictions included. The journal says
when each configuration was measured. Configurations that choose the same at the full size count as one, because the best of hundreds of noisy times
would be chance; the best median of both tunings counts, and compared is when a choice within 5 % of it was measured there for the first time. A search
that never comes so far counts with its budget. Where nothing is faster than the default, the guide is no help, and what it takes until the first
measurement is its cost, as a share of a minute, the budget without any option."""
import argparse, os, re, sqlite3, statistics, subprocess, sys, tempfile, time
from collections import defaultdict
from datetime import datetime
from pathlib import Path

ENOUGH, MINUTE = 1.05, 60
PROGRAMS = {
    "turn": ("""transform Turn from A[w, h] to B[h, w] {
  rule Cells
  B.cell(x, y) from(A.cell(y, x) a) { return a; }
  schedule tiles for Cells { tasks(); tile(x, y; 8, 8); vector(x); }
  schedule large for Cells { tasks(); tile(x, y; 64, 64); vector(x); }
  schedule columns for Cells { order(x, y); tasks(); }
  schedule four for Cells { tasks(); vector(x); jam(y; 4); }
}""", 512),
    "heat": ("""transform Heat from A[n, n] to B[n, n] {
  rule Cells
  B.cell(x, y) from(A.cell(x, y) c, A.cell(x-1, y) l, A.cell(x+1, y) r, A.cell(x, y-1) u, A.cell(x, y+1) d) {
    return c + 0.1 * (l + r + u + d - 4 * c);
  }
  secondary B.cell(x, y) from(A.cell(x, y) a) { return a; }
  schedule rows for Cells { tasks(); vector(x); }
  schedule four for Cells { tasks(); vector(x); jam(y; 4); }
  schedule columns for Cells { order(x, y); tasks(); }
}""", 400),
    "chain": ("""main transform Chain from A[n, n], B[n, n], C[m, n] to D[m, n] {
  rule Left
  to(D d) from(A a, B b, C c) using(t[n, n]) { Product(t, a, b); Product(d, t, c); }
  rule Right
  to(D d) from(A a, B b, C c) using(t[m, n]) { Product(t, b, c); Product(d, a, t); }
}
transform Product from A[k, h], B[w, k] to C[w, h] {
  C.cell(x, y) from(A.row(y) a, B.column(x) b) { double s = 0; for (int i = 0; i < k; i++) s += a.cell(i) * b.cell(i); return s; }
}""", 200),
    "product": ("""transform Product from A[k, h], B[w, k] to C[w, h] {
  rule Cells
  C.cell(x, y) from(A.row(y) a, B.column(x) b) { double s = 0; for (int i = 0; i < k; i++) s += a.cell(i) * b.cell(i); return s; }
  schedule plain for Cells { tasks(); }
}""", 200),
    "two": ("""transform Two from A[w, h] to B[h, w] {
  rule Once
  B.cell(x, y) from(A.cell(y, x) a) { return a * (a * (a + 1) + 2) + 3; }
  rule Turned
  priority(1) B.cell(x, y) from(A.cell(y, x) a, A.cell(y, x) b) { return b * (a * (a + 1) + 2) + 3; }
  schedule four for Once { tasks(); vector(x); jam(y; 4); }
}""", 600),
    "add": ("""transform Add from A[h, w], B[w, h] to C[w, h] {
  rule Cells
  C.cell(x, y) from(A.cell(y, x) a, B.cell(x, y) b) { return a + b; }
  schedule tiles for Cells { tasks(); tile(x, y; 32, 32); vector(x); }
  schedule four for Cells { tasks(); vector(x); jam(y; 4); }
  schedule eight for Cells { tasks(); vector(x); jam(y; 8); }
}""", 400),
    "floats": ("""transform Floats from A[w, h] : float to B[h, w] : float {
  rule Cells
  B.cell(x, y) from(A.cell(y, x) a) { return 2 * a; }
  schedule columns for Cells { order(x, y); tasks(); }
  schedule eight for Cells { tasks(); vector(x); jam(y; 8); }
}""", 600),
    "map": ("""transform Map from A[n] to B[n] {
  rule Cells
  B.cell(i) from(A.cell(i) a) { return a * (a * (a + 1) + 2) + 3; }
  schedule simple for Cells { tasks(); }
}""", 40000),
}


def tuned(pbc, name, source, n, budget, folder, *more):
    """When each configuration was measured at the full size, in seconds from the begin, and its times."""
    folder.mkdir()
    (folder / "p.pbcc").write_text(source)
    subprocess.run([pbc, "p.pbcc", "-o", "p", "--no-devices"], cwd=folder, check=True, capture_output=True)
    begin = time.time()
    done = subprocess.run([pbc, "tune", "./p", f"--n={n}", f"--budget={budget}", "--threads=1", "--report=none", *more, *(["--", "--no-devices"] if more else [])],
                          cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}: pbc tune failed: {done.stderr}")
    times, firsts = defaultdict(list), {}
    with sqlite3.connect(folder / "p.tune.sqlite") as journal:
        rows = journal.execute("select time, size, config_key, seconds, outcome from trials order by id").fetchall()
    full = max((size for _, size, *_ in rows), key=lambda size: [int(part.split("=")[1]) for part in size.split() if part.split("=")[0] in "hkmnw"], default="")
    for at, size, configuration, seconds, outcome in rows:
        # "5<341:6;0;|32|8": up to the bar a selector for each choice, of which the last number is what the largest sizes take
        key = tuple(re.split("[:<]", selector)[-1] for selector in configuration.split("|")[0].split(";"))
        if size == full and outcome == "ok":
            firsts.setdefault(key, datetime.fromisoformat(at).timestamp() - begin)
            times[key] += [float(x) for x in seconds.replace(",", " ").strip("[]").split()]
    first = min(firsts.values(), default=budget)
    default = min(firsts, key=firsts.get, default="")
    return {key: (firsts[key], statistics.median(all)) for key, all in times.items() if len(all) >= 3}, first, default


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pbc", type=os.path.abspath)
    parser.add_argument("--machine", type=os.path.abspath)
    parser.add_argument("--budget", type=float, default=12, help="seconds of a search")
    parser.add_argument("--only", choices=PROGRAMS)
    options = parser.parse_args()
    ratios, lost = [], []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        machine = options.machine or str(folder / "here.toml")
        if not options.machine:
            subprocess.run([options.pbc, "model", "measure", "-o", machine], check=True, capture_output=True)
        print("| program | default | best | plainly | guided | sooner |\n|---|---|---|---|---|---|")
        for name, (source, n) in PROGRAMS.items():
            if options.only and name != options.only:
                continue
            plain, plainFirst, default = tuned(options.pbc, name, source, n, options.budget, folder / f"{name}.plain")
            guided, first, _ = tuned(options.pbc, name, source, n, options.budget, folder / f"{name}.guided", "--bounds=p.pbcc", "--guide", f"--machine={machine}")
            best = min(median for _, median in [*plain.values(), *guided.values()])
            byDefault = min((found[default][1] for found in (plain, guided) if default in found), default=best)
            if byDefault <= ENOUGH * best:
                lost.append(max(first - plainFirst, 0) / MINUTE)
                print(f"| `{name}` n={n} | {byDefault * 1e6:.1f} us | {best * 1e6:.1f} us | | | begins {first - plainFirst:.1f} s later, {lost[-1]:.1%} of a minute |", flush=True)
                continue
            reached = [min((at for at, median in found.values() if median <= ENOUGH * best), default=options.budget) for found in (plain, guided)]
            ratios.append(reached[0] / reached[1])
            print(f"| `{name}` n={n} | {byDefault * 1e6:.1f} us | {best * 1e6:.1f} us | {reached[0]:.1f} s | {reached[1]:.1f} s | {ratios[-1]:.2f} times |", flush=True)
    if ratios:
        print(f"\nsooner in the median of {len(ratios)} programs: {statistics.median(ratios):.2f} times; where it is no help, it costs at most {max(lost, default=0):.1%}")


if __name__ == "__main__":
    main()
