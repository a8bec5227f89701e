#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much sooner does `pbc tune --kernels` find a fast program where a model guides it?

  guide.py PBC [--machine=here.toml] [--budget=22] [--only=NAME]

Each program is tuned twice from nothing, with --guide, predictions included, and plainly. The search says each improvement at once;
the time of the first one that is within 5 % of the best result of both is compared. A search that never comes so far counts with the whole budget. The plain search is ended when it has what the guided one has found. Where neither finds anything the guide is no help, and its
predictions are what it costs, as a share of a minute, which is the budget without any option. The bars: a quarter of the time in the median, and at
most 3 % where it does not help."""
import argparse, json, os, re, signal, statistics, subprocess, sys, tempfile, time
from pathlib import Path

ENOUGH, BAR, MOST_LOST, MINUTE = 1.05, 4, 0.03, 60
# Sizes for which data fit into the second cache, so that runs are short.
PROGRAMS = {
    "turn": ("transform Turn from A[w, h] to B[h, w] { B.cell(x, y) from(A.cell(y, x) a) { return a; } }", "--n=512"),
    "heat": ("""transform Heat from A[n, n] to B[n, n] {
  B.cell(x, y) from(A.cell(x, y) c, A.cell(x-1, y) l, A.cell(x+1, y) r, A.cell(x, y-1) u, A.cell(x, y+1) d) {
    return c + 0.1 * (l + r + u + d - 4 * c);
  }
  secondary B.cell(x, y) from(A.cell(x, y) a) { return a; }
}""", "--n=400"),
    "add": ("transform Add from A[h, w], B[w, h] to C[w, h] { C.cell(x, y) from(A.cell(y, x) a, B.cell(x, y) b) { return a + b; } }", "--n=400"),
    "map": ("transform Map from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a * (a * (a + 1) + 2) + 3; } }", "--n=40000"),
    "floats": ("transform Floats from A[w, h] : float to B[h, w] : float { B.cell(x, y) from(A.cell(y, x) a) { return 2 * a; } }", "--n=600"),
    "grey": ("""transform Grey from A[w, h, 3] : float to B[w, h] : float {
  B.cell(x, y) from(A.cell(x, y, 0) r, A.cell(x, y, 1) g, A.cell(x, y, 2) b) { return 0.3f * r + 0.6f * g + 0.1f * b; }
}""", "--n=300"),
    "largest": ("""transform Largest from A[w, h] to S[h] {
  S.cell(y) from(A.row(y) a) { double s = a.cell(0); for (int i = 0; i < w; i++) s = a.cell(i) > s ? a.cell(i) : s; return s; }
}""", "--n=400"),
    "columns": ("""transform Along from A[w, h] to B[w, h] {
  B.cell(x, y) from(A.cell(x, y-1) u, A.cell(x, y) c, A.cell(x, y+1) d) { return u + 2 * c + d; }
  secondary B.cell(x, y) from(A.cell(x, y) a) { return a; }
}""", "--n=400"),
}
IMPROVED = re.compile(r": ([0-9.]+) times as fast")


def tuned(pbc, source, size, budget, folder, wanted, *more):
    """When each improvement was said, and how many times as fast as the default the program was then; and the time of predictions. Ends when it is as fast as
    `wanted`."""
    folder.mkdir()
    (folder / "p.pbcc").write_text(source)
    begin = time.monotonic()
    process = subprocess.Popen([pbc, "tune", "--kernels", "p.pbcc", size, f"--budget={budget}", "--threads=1", "--json", *more], cwd=folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    steps, speed = [], 1.0
    for line in process.stderr:
        if found := IMPROVED.search(line):
            speed *= float(found[1])
            steps.append((time.monotonic() - begin, speed))
            if wanted > ENOUGH and speed * ENOUGH >= wanted:
                process.send_signal(signal.SIGINT)
    out = process.stdout.read()
    if process.wait() not in (0, 130, -signal.SIGINT):
        sys.exit(f"{source}: pbc tune failed: {out}")
    model = json.loads(out).get("model", {}) if out.startswith("{") else {}
    return steps, model.get("seconds", 0)


def until(steps, wanted, budget):
    """The time of the first step that is fast enough; the budget if there is none."""
    return next(((at, True) for at, speed in steps if speed * ENOUGH >= wanted), (budget, False))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pbc", type=os.path.abspath)
    parser.add_argument("--machine", type=os.path.abspath)
    parser.add_argument("--budget", type=float, default=22, help="seconds of a search")
    parser.add_argument("--only", choices=PROGRAMS)
    options = parser.parse_args()
    ratios, lost = [], []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        machine = options.machine or str(folder / "here.toml")
        if not options.machine:
            subprocess.run([options.pbc, "model", "measure", "-o", machine], check=True, capture_output=True)
        print("| program | plainly | times as fast | guided | times as fast | sooner |\n|---|---|---|---|---|---|")
        for name, (source, size) in PROGRAMS.items():
            if options.only and name != options.only:
                continue
            guided, predicting = tuned(options.pbc, source, size, options.budget, folder / f"{name}.guided", 0, "--guide", f"--machine={machine}")
            plain, _ = tuned(options.pbc, source, size, options.budget, folder / f"{name}.plain", guided[-1][1] if guided else 0)
            best = max([1.0] + [speed for _, speed in plain + guided])
            if best < ENOUGH:
                lost.append(predicting / MINUTE)
                print(f"| `{name}` {size} | nothing found | | nothing found | | costs {predicting:.1f} s, {lost[-1]:.1%} of a minute |", flush=True)
                continue
            (first, isReached), (second, isGuidedReached) = until(plain, best, options.budget), until(guided, best, options.budget)
            ratio = first / second
            ratios.append(ratio)
            speeds = [steps[-1][1] if steps else 1.0 for steps in (plain, guided)]
            print(f"| `{name}` {size} | {first:.1f} s{'' if isReached else ', not reached'} | {speeds[0]:.2f} | {second:.1f} s{'' if isGuidedReached else ', not reached'} "
                  f"| {speeds[1]:.2f} | {ratio:.2f} times |", flush=True)
    if not ratios:
        return
    median = statistics.median(ratios)
    print(f"\nsooner in the median of {len(ratios)} programs: {median:.2f} times (bar {BAR}); where it is no help, it costs at most "
          f"{max(lost, default=0):.1%} (bar {MOST_LOST:.0%})")


if __name__ == "__main__":
    main()
