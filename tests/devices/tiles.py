#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wavefronts and steps of time in tiles, as groups of a device compute them: tiles.py PBC. Random sizes, tiles and groups
against the processor, and how many launches a run takes. DEVICE=opencl: there, without counting."""
import json, os, random, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])
CASES = 20
DEVICE = os.environ.get("DEVICE", "fake")

# transform: its inputs' ranks, its rules, whether tiles lie along its cells' own coordinates
PROGRAMS = {
    "Falling": ([2], "from A[w, h] : int to B[w, h] : int",
                """B.cell(x, y) from(B.cell(x + 1, y) r, B.cell(x, y - 1) u, B.cell(x + 1, y - 1) d, A.cell(x, y) a) {
                     int s = a + r;
                     if (u > d) s += 3 * u - d;
                     return s % 10007;
                   }
                   secondary B.cell(x, y) from(A.cell(x, y) a) { return a; }"""),
    "Cube": ([3], "from A[w, h, d] : int to B[w, h, d] : int",
             """B.cell(x, y, z) from(B.cell(x - 1, y, z) l, B.cell(x, y + 1, z) u, B.cell(x, y, z - 1) f,
                                     A.cell(x, y, z) a) { return (a + 2 * l + 3 * u + f) % 10007; }
                secondary B.cell(x, y, z) from(A.cell(x, y, z) a) { return a; }"""),
    "Affine": ([1, 1], "from A[n] : int, B[m] : int to H[n, m] : int through E[n, m] : int",
               """E.cell(x, y) from(E.cell(x - 1, y) e, H.cell(x - 1, y) h) { return e - 1 > h - 2 ? e - 1 : h - 2; }
                  secondary E.cell(x, y) from() { return -9; }
                  H.cell(x, y) from(H.cell(x - 1, y - 1) d, H.cell(x, y - 1) u, E.cell(x, y) e, A.cell(x) a, B.cell(y) b) {
                    int s = d + (a % 3 == b % 3 ? 2 : -1);
                    s = s > u - 2 ? s : u - 2;
                    return s > e ? s : e;
                  }
                  secondary H.cell(x, y) from(E.cell(x, y) e) { return e - x - y; }"""),
    "Triangle": ([1], "from P[n] : int to C[n, n] : int",
                 """C.cell(j, i) from(C.cell(j - 1, i) l, C.cell(j, i + 1) d, P.cell(i) p, P.cell(j) q) where j > i {
                      return ((l < d ? l : d) + p * q) % 10007;
                    }
                    secondary C.cell(j, i) from() { return 0; }"""),
    "Line": ([1], "from A[n] : int to B[n] : int through T<0..11>[n] : int",
             """T<0>.cell(i) from(A.cell(i) a) { return a; }
                T<k>.cell(i) from(T<k-1>.cell(i - 1) l, T<k-1>.cell(i) c, T<k-1>.cell(i + 1) r) { return (l + 2 * c + 3 * r) % 10007; }
                secondary T<k>.cell(i) from(T<k-1>.cell(i) c) { return c + 1; }
                B.cell(i) from(T<11>.cell(i) t) { return t; }"""),
    "Plate": ([2], "from A[w, h] : int to B[w, h] : int through T<0..5>[w, h] : int",
              """T<0>.cell(x, y) from(A.cell(x, y) a) { return a; }
                 T<k>.cell(x, y) from(T<k-1>.cell(x - 1, y) l, T<k-1>.cell(x + 1, y) r, T<k-1>.cell(x, y - 1) u,
                                      T<k-1>.cell(x, y + 1) d) { return (l + 2 * r + 3 * u + d) % 10007; }
                 secondary T<k>.cell(x, y) from(T<k-1>.cell(x, y) c) { return c + 1; }
                 B.cell(x, y) from(T<5>.cell(x, y) t) { return t; }"""),
}

def run(program, config, inputs, device):
    """The output's text; with it how many kernels the trace has."""
    with open("run.toml", "w") as f:
        f.write(config)
    command = [f"./{program}", "--config=run.toml", "--threads=2", *inputs, "out.txt"]
    environment = dict(os.environ, PB_DEVICES=DEVICE if device else "none", PB_FAKE_DEVICE="1")
    done = subprocess.run(command + ["--trace=trace.json"] * device, capture_output=True, text=True, env=environment, timeout=100)
    assert done.returncode == 0 and done.stderr == "", (program, config, done.stderr)
    kernels = [e for e in json.load(open("trace.json"))["traceEvents"] if e.get("cat") == "kernel"] if device else []
    return open("out.txt").read(), len(kernels)

def write(path, extents):
    count = 1
    for e in extents:
        count *= e
    with open(path, "w") as f:
        f.write("SIZE " + " ".join(map(str, extents)) + "\n" + " ".join(str(random.randrange(100)) for _ in range(count)) + "\n")

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    random.seed(5)
    for name, (ranks, head, rules) in PROGRAMS.items():
        with open(f"{name}.pbcc", "w") as f:
            f.write(f"main transform {name} {head} {{ {rules} }}\n")
        subprocess.run([PBC, f"{name}.pbcc", "-o", name], check=True)
        transform = json.loads(subprocess.run([f"./{name}", "--info"], capture_output=True, text=True, check=True).stdout)["transforms"][0]
        tiled = [s["key"] for s in transform["sites"] if "gpu_tiles" in [a["name"] for a in s["alternatives"]]]
        assert len(tiled) == 1, (name, tiled)
        tunables = [t["name"] for t in transform["tunables"]]
        launches = 0
        for case in range(CASES):
            inputs = []
            for k, rank in enumerate(ranks):
                write(f"in{k}.txt", [random.choice((0, 1, 2, 3, 17, 29, 40)) if rank < 3 else random.choice((1, 2, 5, 9, 11)) for _ in range(rank)])
                inputs.append(f"in{k}.txt")
            config = f"[{name}]\nsequential_cutoff = 0\n" + f'"{tiled[0]}" = "gpu_tiles"\n'
            for t in tunables:
                if t.startswith("tile_"):
                    config += f'"{t}" = {random.choice((1, 2, 5, 16, 64))}\n'
                elif t.startswith("group_"): # few: each is a kernel to be compiled
                    config += f'"{t}" = {4 if case % 2 else 1 if "_y_" in t else 3}\n'
            expected, _ = run(name, "", inputs, False)
            found, kernels = run(name, config, inputs, True)
            assert found == expected, (name, config, [open(i).readline() for i in inputs])
            launches += kernels
        assert launches > CASES, name
        print(f"{name}: {CASES} cases in {launches} launches")

    # 41 x 25 points but for the last column and the first row, in tiles of 8 x 8: 5 + 3 - 1 diagonals; of points: 61.
    write("in0.txt", [41, 25])
    place = [s["key"] for s in json.loads(subprocess.run(["./Falling", "--info"], capture_output=True, text=True).stdout)["transforms"][0]["sites"]
             if "gpu_tiles" in [a["name"] for a in s["alternatives"]]][0]
    step = place.removeprefix("place_")
    expected, _ = run("Falling", "", ["in0.txt"], False)
    for use, launches in (("gpu", 40 + 24 - 1), ("gpu_tiles", 5 + 3 - 1)):
        config = f'[Falling]\nsequential_cutoff = 0\n{place} = "{use}"\ntile_x_{step} = 8\ntile_y_{step} = 8\ngroup_x_{step} = 4\n'
        found, kernels = run("Falling", config, ["in0.txt"], True)
        assert found == expected
        assert kernels == launches or DEVICE != "fake", (use, kernels)
