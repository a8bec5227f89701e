#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory that `pbc explain` predicts is what programs take. storage.py PBC"""
import json, os, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
SIZES = {"w": 700, "h": 500, "steps": 12}
# By name: declarations of matrices, rules, and the fewest bytes of temporaries with which points of a step need not wait for each other.
PLANE, LINE = 8 * 700 * 500, 8 * 700
PROGRAMS = {
    "steps": ("through T<0..steps>[w, h] to B[w, h]",
              "T<0>.cell(x, y) from(A.cell(x, y) a) { return a; }"
              "T<t>.cell(x, y) from(T<t-1>.cell(x, y) c, T<t-1>.cell(x+1, y) r = 0) { return (c + r) / 2; }"
              "B.cell(x, y) from(T<steps>.cell(x, y) c) { return c; }", 2 * PLANE),
    "in place": ("through T<0..steps>[w, h] to B[w, h]",
                 "T<0>.cell(x, y) from(A.cell(x, y) a) { return a; }"
                 "T<t>.cell(x, y) from(T<t-1>.cell(x, y) c) { return c / 2 + 1; }"
                 "B.cell(x, y) from(T<steps>.cell(x, y) c) { return c; }", PLANE),
    "two steps back": ("through T<0..steps>[w, h] to B[w, h]",
                       "T<0>.cell(x, y) from(A.cell(x, y) a) { return a; } T<1>.cell(x, y) from(A.cell(x, y) a) { return a / 2; }"
                       "T<t>.cell(x, y) from(T<t-1>.cell(x, y) c, T<t-2>.cell(x+1, y) r = 0) { return c - r; }"
                       "B.cell(x, y) from(T<steps>.cell(x, y) c) { return c; }", 3 * PLANE),
    "a cube": ("through T[w, h, steps + 1] to B[w, h]",
               "T.cell(x, y, 0) from(A.cell(x, y) a) { return a; }"
               "T.cell(x, y, t) from(T.cell(x, y, t-1) c, T.cell(x, y+1, t-1) r = 0) { return (c + r) / 2; }"
               "B.cell(x, y) from(T.cell(x, y, steps) c) { return c; }", 2 * PLANE),
    "two matrices": ("through U<0..steps>[w, h], V<0..steps>[w, h] to B[w, h]",
                     "U<0>.cell(x, y) from(A.cell(x, y) a) { return a; } V<0>.cell(x, y) from(A.cell(x, y) a) { return -a; }"
                     "U<t>.cell(x, y) from(U<t-1>.cell(x, y) u, V<t-1>.cell(x+1, y) v = 0) { return u + v / 2; }"
                     "V<t>.cell(x, y) from(V<t-1>.cell(x, y) v, U<t>.cell(x, y) u) { return v - u / 2; }"
                     "B.cell(x, y) from(U<steps>.cell(x, y) c) { return c; }", 4 * PLANE),
    "numbers beside": ("through T<0..steps>[w, h], P<0..steps> to B[w, h]",
                       "P<0> from() { return 1; } P<t> from(P<t-1> p) { return p / 2; }"
                       "T<0>.cell(x, y) from(A.cell(x, y) a) { return a; }"
                       "T<t>.cell(x, y) from(T<t-1>.cell(x+1, y) c = 0, P<t> p) { return c * p; }"
                       "B.cell(x, y) from(T<steps>.cell(x, y) c) { return c; }", 2 * PLANE),
    "every version is read": ("through T<0..steps>[w, h] to B[w, h]",
                              "T<0>.cell(x, y) from(A.cell(x, y) a) { return a; }"
                              "T<t>.cell(x, y) from(T<t-1>.cell(x, y) c) { return c / 2; }"
                              "B.cell(x, y) from(T.region(x, y, 0, x+1, y+1, steps+1) all) "
                              "{ double sum = 0; for (int t = 0; t <= steps; ++t) sum += all.cell(0, 0, t); return sum; }",
                              13 * PLANE),
    "none": ("to B[w, h]", "B.cell(x, y) from(A.cell(x, y) a) { return a; }", 0),
    "sums of columns": ("through S[w] to B[w, h]",
                        "S.cell(x) from(A.column(x) c) { double s = 0; for (int y = 0; y < c.size(0); ++y) s += c.cell(y); return s; }"
                        "B.cell(x, y) from(A.cell(x, y) a, S.cell(x) s) { return a - s; }", LINE),
    "floats": ("through T[w, h] : float to B[w, h]",
               "T.cell(x, y) from(A.cell(x, y) a) { return a; } B.cell(x, y) from(T.column(x) t, T.cell(x, y) c) "
               "{ return t.cell(0) - c; }", PLANE // 2),
}

def json_of(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return json.loads(done.stdout)

def measured(sizes):
    """Bytes of a run, its inputs and outputs among them; nothing where the system reports none."""
    requests = [{"op": "meters"}, {"op": "prepare", "sizes": sizes, "seed": 1},
                {"op": "measure", "metrics": ["memory"], "trials": 1}]
    done = subprocess.run(["./prog", "--serve", "--noconfig", "--threads=1"], input="".join(json.dumps(r) + "\n" for r in requests),
                          capture_output=True, text=True, timeout=120)
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and all(r["ok"] for r in replies), (done.stdout, done.stderr)
    return replies[2]["bytes"] if replies[0]["peak_memory"] else None

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name, (matrices, rules, least) in PROGRAMS.items():
        uses_steps = "steps" in matrices
        with open("prog.pbcc", "w") as f:
            f.write(f"transform T {'param steps' if uses_steps else ''} from A[w, h] {matrices} {{ {rules} }}\n")
        sizes = {n: v for n, v in SIZES.items() if uses_steps or n != "steps"}
        words = [f"--size={n}={v}" for n, v in sizes.items()]
        told = json_of(PBC, "explain", "--json", *words, "prog.pbcc")["transforms"][0]["memory"]
        assert told["inputs_and_outputs"] == 2 * PLANE, (name, told)
        assert told["temporaries"] <= 1.2 * least + 64, (name, told, least)
        subprocess.run([PBC, "prog.pbcc", "-o", "prog"], check=True, timeout=120)
        taken = measured(sizes)
        if taken is None:
            print("the system reports no peak")
            continue
        predicted = told["temporaries"] + told["inputs_and_outputs"]
        # Where no tile fits into the caches of this machine, the matrix of a producer in tiles is there as a whole.
        most = max(told["temporaries"], least) + told["inputs_and_outputs"]
        assert predicted / 1.2 <= taken <= most * 1.2, (name, predicted, taken)
        print(f"{name}: predicted {predicted:.0f} bytes, measured {taken:.0f}")
