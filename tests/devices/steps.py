#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several steps of time in one launch, in the memory of groups: steps.py PBC. Spellings of stencils at random sizes, steps and groups
against the processor, and how many launches a run takes. DEVICE=opencl: there, without counting."""
import json, os, random, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
CASES = int(os.environ.get("CASES", "12"))
DEVICE = os.environ.get("DEVICE", "fake")
START = "T<0>.cell(x, y) from(A.cell(x, y) a) { return a; } "
LAST = "B.cell(x, y) from(T<K>.cell(x, y) t) { return t; }"
PLATE = "#define K 7\nmain transform %s from A[w, h] : int to B[w, h] : int through T<0..K>[w, h] : int { "
LINE = "#define K 11\nmain transform %s from A[w] : int to B[w] : int through T<0..K>[w] : int { T<0>.cell(x) from(A.cell(x) a) { return a; } "
LINE_END = " B.cell(x) from(T<K>.cell(x) t) { return t; } }"

# transform: the rank of its input, its text; whether it has the version
PROGRAMS = {
    "Line": (1, LINE + """T<k>.cell(x) from(T<k-1>.cell(x - 1) l, T<k-1>.cell(x) c, T<k-1>.cell(x + 1) r) { return (l + 2 * c + 3 * r) % 10007; }
                secondary T<k>.cell(x) from(T<k-1>.cell(x) c) { return c + 1; }""" + LINE_END, True),
    "Far": (1, LINE + """T<k>.cell(x) from(T<k-1>.cell(x - 3) l, T<k-1>.cell(x + 1) r, A.cell(x) a) { return l > r ? l - a : (r + 2 * a) % 97; }
               T<k>.cell(0) from(T<k-1>.cell(1) r) { return r + 5; }
               secondary T<k>.cell(x) from(T<k-1>.cell(x) c) { return -c; }""" + LINE_END, True),
    "Region": (1, LINE + """T<k>.cell(x) from(T<k-1>.region(x - 2, x + 3) a) { int s = 0; for (int j = 0; j < 5; ++j) s += (j + 1) * a.cell(j); return s % 10007; }
                  secondary T<k>.cell(x) from(T<k-1>.cell(x) c) { return c + 1; }""" + LINE_END, True),
    "Plate": (2, PLATE + START + """T<k>.cell(x, y) from(T<k-1>.cell(x - 1, y) l, T<k-1>.cell(x + 1, y) r, T<k-1>.cell(x, y - 1) u, T<k-1>.cell(x, y + 1) d)
                                    { return (l + 2 * r + 3 * u + d) % 10007; }
                 secondary T<k>.cell(x, y) from(T<k-1>.cell(x, y) c) { return c + 1; }""" + LAST + "}", True),
    "Corners": (2, PLATE + START + """T<k>.cell(x, y) from(T<k-1>.region(x - 1, y - 1, x + 2, y + 2) a) {
                     int s = 0; for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) s += (i + 1) * a.cell(i, j); return s % 10007; }
                   T<k>.cell(0, y) from(T<k-1>.cell(1, y) r, T<k-1>.cell(0, y - 1) u) { return r + u; }
                   T<k>.cell(w-1, y) from(T<k-1>.cell(w-2, y) l) { return l - 1; }
                   secondary T<k>.cell(x, y) from(T<k-1>.cell(x, y) c) { return c; }""" + LAST + "}", True),
    "History": (1, """main transform %s from A[w] : int to T<0..11>[w] : int { T<0>.cell(x) from(A.cell(x) a) { return a; }
                   T<k>.cell(x) from(T<k-1>.cell(x - 1) l, T<k-1>.cell(x + 1) r) { return (l + 3 * r) % 10007; }
                   T<k>.cell(0) from(T<k-1>.cell(1) r) { return r + k; }
                   T<k>.cell(w-1) from(T<k-1>.cell(w-2) l) { return l - k; }
                   secondary T<k>.cell(x) from(T<k-1>.cell(x) c) { return c + k; } }""", True),
    "Edges": (1, """main transform %s from A[w] : int to T[w, 9] : int { T.cell(x, 0) from(A.cell(x) a) { return a; }
                   T.cell(x, k) from(T.cell(x - 1, k - 1) l, T.cell(x + 1, k - 1) r) { return (l + 3 * r) % 10007; }
                   secondary T.cell(x, k) from(T.cell(x, k - 1) c) { return c + k; } }""", False),
    "Two": (2, """#define K 7
               main transform %s from A[w, h] : int to B[w, h] : int through U<0..K>[w, h] : int, V<0..K>[w, h] : int {
                 to(U<0>.cell(x, y) u, V<0>.cell(x, y) v) from(A.cell(x, y) a) { u = a; v = 0; }
                 U<k>.cell(x, y) from(U<k-1>.cell(x, y) u, V<k-1>.cell(x-1, y) l, V<k-1>.cell(x, y-1) o) { return u + l - o; }
                 secondary U<k>.cell(x, y) from(U<k-1>.cell(x, y) u) { return u; }
                 V<k>.cell(x, y) from(V<k-1>.cell(x, y) v, U<k-1>.cell(x+1, y) r, U<k-1>.cell(x, y+1) d) { return v + 2 * r - d; }
                 secondary V<k>.cell(x, y) from(V<k-1>.cell(x, y) v) { return -v; }
                 B.cell(x, y) from(U<K>.cell(x, y) u, V<K>.cell(x, y) v) { return u + 3 * v; } }""", True),
    "Wave": (1, """#define K 9
                main transform %s from A[w] : int to B[w] : int through T<0..K>[w] : int {
                  T<0>.cell(x) from(A.cell(x) a) { return a; } T<1>.cell(x) from(A.cell(x) a) { return a + 1; }
                  T<k>.cell(x) from(T<k-1>.cell(x - 1) l, T<k-1>.cell(x + 1) r, T<k-2>.cell(x) o) { return (l + r - o) % 1009; }
                  secondary T<k>.cell(x) from(T<k-1>.cell(x) c, T<k-2>.cell(x) o) { return c - o; }
                  B.cell(x) from(T<K>.cell(x) t) { return t; } }""", False),
}

def run(program, config, device):
    """The output's text; with it how many kernels the trace has."""
    with open("run.toml", "w") as f:
        f.write(config)
    command = [f"./{program}", "--config=run.toml", "--threads=2", "in.txt", "out.txt"]
    environment = dict(os.environ, PB_DEVICES=DEVICE if device else "none", PB_FAKE_DEVICE="1")
    done = subprocess.run(command + ["--trace=trace.json"] * device, capture_output=True, text=True, env=environment, timeout=100)
    assert done.returncode == 0 and done.stderr == "", (program, config, done.stderr)
    kernels = [e for e in json.load(open("trace.json"))["traceEvents"] if e.get("cat") == "kernel"] if device else []
    return open("out.txt").read(), len(kernels)

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    random.seed(7)
    for name, (rank, text, has) in PROGRAMS.items():
        with open(f"{name}.pbcc", "w") as f:
            f.write(text.replace("%s", name))
        subprocess.run([PBC, f"{name}.pbcc", "-o", name], check=True)
        transform = json.loads(subprocess.run([f"./{name}", "--info"], capture_output=True, text=True, check=True).stdout)["transforms"][0]
        places = [s["key"] for s in transform["sites"] if "gpu_steps" in [a["name"] for a in s["alternatives"]]]
        said = subprocess.run([PBC, "explain", f"{name}.pbcc"], capture_output=True, text=True, check=True).stdout
        assert len(places) == has and ("one round in a launch: " in said) == (not has), (name, said)
        launches = 0
        for case in range(CASES * has):
            extents = [random.choice((0, 1, 2, 3, 17, 29, 40, 150)) for _ in range(rank)]
            with open("in.txt", "w") as f:
                count = extents[0] * (extents[1] if rank == 2 else 1)
                f.write("SIZE " + " ".join(map(str, extents)) + "\n" + " ".join(str(random.randrange(100)) for _ in range(count)) + "\n")
            config = f"[{name}]\nsequential_cutoff = 0\n" + f'"{places[0]}" = "gpu_steps"\n'
            for t in (t["name"] for t in transform["tunables"]):
                if t.startswith("steps_"):
                    config += f'"{t}" = {random.choice((1, 2, 3, 4, 5, 64))}\n'
                elif t.startswith(("group_", "places_")): # few: each is a kernel to be compiled
                    config += f'"{t}" = {(8, 3, 4)[case % 3] if t[:5] == "group" else (5, 7, 4)[case % 3]}\n'
            expected, _ = run(name, "", False)
            found, kernels = run(name, config, True)
            assert found == expected, (name, config, extents)
            launches += kernels
        assert launches >= CASES * has, name
        print(f"{name}: {CASES * has} cases in {launches} launches")

    # 12 rounds of the line, 5 at most together, never an even number: 3, 3, 3 and 3. Of 15 rounds 5, 5 and 5: nobody reads the last but one,
    # which would be alone otherwise.
    with open("in.txt", "w") as f:
        f.write("SIZE 1000\n" + " ".join(str(k % 89) for k in range(1000)) + "\n")
    place = "place_rule0+rule1+rule2"
    expected, _ = run("Line", "", False)
    with open("Longer.pbcc", "w") as f:
        f.write(PROGRAMS["Line"][1].replace("%s", "Longer").replace("#define K 11", "#define K 14"))
    subprocess.run([PBC, "Longer.pbcc", "-o", "Longer"], check=True)
    longer, _ = run("Longer", "", False)
    for name, right, use, launches in (("Line", expected, "gpu", 12), ("Line", expected, "gpu_steps", 4), ("Longer", longer, "gpu", 15), ("Longer", longer, "gpu_steps", 3)):
        found, kernels = run(name, f'[{name}]\nsequential_cutoff = 0\n"{place}" = "{use}"\n"steps_rule0+rule1+rule2" = 5\n', True)
        assert found == right, (name, use)
        assert kernels == launches or DEVICE != "fake", (name, use, kernels)
