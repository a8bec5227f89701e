#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests that are files: programs, golden texts, errors.

  harness.py programs PBC FILE.pbcc   compile; run each `// test:` line under every choice, and in forced tasks
  harness.py golden   PBC FILE.pbcc   compare --emit=STAGE with FILE.STAGE.txt for each such file; the stages `explain`,
                                      `explain-json` and `explain-kernels` are `pbc explain`, with these options
  harness.py error    PBC FILE.pbcc   compare the messages with FILE.txt, and check that nothing was written
  harness.py kernels  PBC FILE.pbcc   the same test lines with options of the kernels' schedules (pbc explain --kernels)
  harness.py tune     PBC FILE.pbcc   tune a program of variable accuracy; every bin must meet its target on new inputs
  UPDATE=1 in the environment rewrites the expected texts (read the diff before you commit it)

Test lines stand in the program, as comments:
  // test: [1 2 3] => [1 3 6]              matrices row by row: [1 2; 3 4] is 2 wide and 2 high; [] is empty;
  // test: [1 2; 3 4] 2.5 => [2.5 5; 7.5 10]   a plain number is a 0-d matrix; [[1 2; 3 4] [5 6; 7 8]] is 3-d
  // test: empty(3,0) => empty(3,0)        a matrix of the given extents without cells
  // param: 4                              arguments before the files, for the test lines that follow
  // fails: [1 2] [1] => size mismatch     the run must end with status 1 and this text in its message
  // ends 66: [1] => gave up                the same with status 66
  // check: 1 17 100                       --check on random inputs of these sizes: all alternatives compute the same
  // warns: can end without                pbc must say this while it compiles the program
  // with: --schedule=gemm.sched           further words for pbc's command line, which runs in the folder of the program
  // transform: Other                      the test lines that follow run this transform
  // config: [T]                           the test lines that follow run with these lines as their configuration,
  // config: block = 7                     and with no other choice; `// config:` alone ends that
`devices` runs a program under one placement of each kind, which its name chooses, so that the programs together have
all of them; with PBC_ALL=1 in the environment, under every placement. With NO_FALLBACK=1 it fails where a step is left
to the processor.
Error tests may have the line `with`, and none that is about matrices.
"""
import itertools, json, math, os, random, re, subprocess, sys, tempfile, zlib

NOTHING_TO_TEST = 77  # what ctest counts as a test that was skipped

def fail(message):
    print(message)
    sys.exit(1)

def run(command, timeout=120, **more):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, **more)
    except subprocess.TimeoutExpired:
        fail(f"timed out after {timeout} s: {' '.join(command)}")

# ---- matrices as written in test lines <-> the text format

def parse_matrix(text):
    text = text.strip()
    if m := re.fullmatch(r"empty\(([\d,]+)\)", text):
        return [int(x) for x in m[1].split(",")], []
    if not text.startswith("["):
        return [], [float(text)]
    if text.startswith("[["):
        layers = [parse_matrix(t) for t in re.findall(r"\[[^\[\]]*\]", text[1:-1])]
        extents = [e for e, _ in layers]
        first = extents[0] if len(extents[0]) == 2 else extents[0] + [1]
        return first + [len(layers)], [v for _, values in layers for v in values]
    body = text[1:-1]
    rows = [[float(x) for x in row.split()] for row in body.split(";")]
    values = [v for row in rows for v in row]
    if len(rows) == 1 and ";" not in body:
        return [len(values)], values
    return [len(rows[0]), len([r for r in rows if r])], values

def split_matrices(text):
    out, depth, current = [], 0, ""
    for token in re.findall(r"\[|\]|empty\([\d,]+\)|[^\s\[\]]+|\s+", text):
        if token == "[":
            depth += 1
        if depth == 0 and token.isspace():
            if current:
                out.append(current)
            current = ""
            continue
        current += token
        if token == "]":
            depth -= 1
            if depth == 0:
                out.append(current)
                current = ""
    if current:
        out.append(current)
    return out

def write_matrix(path, extents, values):
    with open(path, "w") as f:
        f.write("SIZE" + "".join(f" {e}" for e in extents) + "\n")
        f.write(" ".join(repr(v) for v in values) + "\n")

def read_matrix(path):
    tokens = open(path).read().split("\n", 1)
    extents = [int(x) for x in tokens[0].split()[1:]]
    return extents, [float(x) for x in tokens[1].split()]

def close(a, b):
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-7 + 1e-6 * abs(b)

# ---- programs

def choices(transform):
    """Its sites, with those alternatives that need no device; without those that have one such alternative."""
    sites = [{**s, "alternatives": [a for a in s["alternatives"] if not a.get("device")]} for s in transform["sites"]]
    return [s for s in sites if not s.get("device") or len(s["alternatives"]) > 1]

def choosing(site, alternative):
    return f'"{site["key"]}" = [ {{ use = "{alternative}" }} ]\n'

def placements(info):
    """Every step that can run on a device does, with each alternative, version and share: the kind of the placement, its
    name and its configuration; needs a device."""
    def everywhere(place, more, transform=None, choice=""):
        text = ""
        for t in info["transforms"]:
            sites = [s for s in t["sites"] if s.get("device")]
            text += f'["{t["name"]}"]\nsequential_cutoff = 0\n'
            for s in sites:
                there = [a["name"] for a in s["alternatives"] if a.get("device")]
                use = place if place in there else there[0]  # a function of a library is the only one
                text += f'"{s["key"]}" = [ {{ use = "{use}" }} ]\n'
            text += "".join(f'"{x["name"]}" = {more(x["name"])}\n' for x in t["tunables"]
                            if x.get("device") and more(x["name"]) is not None)
            text += choice if t["name"] == transform else ""
        return text
    def small(name):
        return {"group_x": 3, "group_y": 2, "group_z": 2}.get(name[:7])
    if not any(s.get("device") for t in info["transforms"] for s in t["sites"]):
        return
    for t in info["transforms"]:
        for site in choices(t):
            for a in site["alternatives"]:
                if site.get("device"):  # the placements are given
                    continue
                choice = choosing(site, a["name"])
                yield "choice of " + t["name"], f"on a device, {a['name']}", everywhere("gpu", lambda name: None, t["name"], choice)
    yield "items", "on a device", everywhere("gpu", lambda name: None)
    yield "items", "on a device, small groups", everywhere("gpu", small)
    yield "local", "on a device, local memory", everywhere("gpu_local", small)
    if any(a["name"] == "gpu_blocks" for t in info["transforms"] for s in t["sites"] for a in s["alternatives"]):
        yield "blocks", "on a device, blocks", everywhere("gpu_blocks", lambda name: None)
        yield "buffers", "on a device, two buffers", everywhere("gpu_buffers", lambda name: {"cells_x": 3, "cells_y": 2}.get(name[:7], small(name)))
        yield "blocks", "on a device, small blocks", everywhere("gpu_blocks", lambda name: {"cells_x": 3, "cells_y": 2}.get(name[:7], small(name)))
    if any(a["name"] == "gpu_registers" for t in info["transforms"] for s in t["sites"] for a in s["alternatives"]):
        yield "registers", "on a device, in registers", everywhere("gpu_registers", lambda name: None)
        yield "registers", "on a device, few cells in registers", everywhere("gpu_registers", lambda name: {"cells_x": 2, "cells_y": 3}.get(name[:7], small(name)))
    if any(a["name"] == "gpu_tiles" for t in info["transforms"] for s in t["sites"] for a in s["alternatives"]):
        yield "tiles", "on a device, tiles", everywhere("gpu_tiles", lambda name: None)
        yield "tiles", "on a device, small tiles", everywhere("gpu_tiles", lambda name: {"tile_x": 3, "tile_y": 2, "tile_z": 2, "tile_w": 1}.get(name[:6], small(name)))
        yield "tiles", "on a device, tiles larger than groups", everywhere("gpu_tiles", lambda name: {"tile_x": 5, "tile_y": 7, "group_": 2}.get(name[:6]))
    if any(a["name"] == "gpu_steps" for t in info["transforms"] for s in t["sites"] for a in s["alternatives"]):
        yield "rounds", "on a device, several rounds together", everywhere("gpu_steps", lambda name: None)
        yield "rounds", "on a device, several rounds in small groups", everywhere("gpu_steps", lambda name: {"places": 5, "steps": 4}.get(name.split("_")[0], small(name)))
    if any(a["name"] == "gpu_group" for t in info["transforms"] for s in t["sites"] for a in s["alternatives"]):
        def parts(name):
            return {"team": 2, "parts": 3}.get(name.split("_")[0], small(name))
        yield "teams", "on a device, in groups", everywhere("gpu_group", lambda name: None)
        yield "teams", "on a device, in small teams and parts", everywhere("gpu_group", parts)
        yield "teams", "on a device, in groups of one", everywhere("gpu_group", lambda name: 1 if name[:6] == "group_" else None)
        yield "teams", "shared, in groups", everywhere("gpu_group", lambda name: 24 if name == "gpu_ratio" else small(name))
    yield "shared", "shared", everywhere("gpu", lambda name: 24 if name == "gpu_ratio" else small(name))
    yield "shared", "shared by measuring", everywhere("gpu", lambda name: 65 if name == "gpu_ratio" else small(name))
    yield "local", "shared, local memory", everywhere("gpu_local", lambda name: 40 if name == "gpu_ratio" else None)

def one_of_each_kind(placements, source):
    """One placement of each kind, which the name of the program chooses; all of them with PBC_ALL=1. Each has kernels of
    its own, and compiling those is most of what a program costs here."""
    def chosen(info):
        kinds = {}
        for kind, name, text in placements(info):
            kinds.setdefault(kind, []).append((name, text))
        for kind, members in kinds.items():
            n = zlib.crc32(f"{kind} {os.path.basename(source)}".encode()) % len(members)
            yield from members if os.environ.get("PBC_ALL") else [members[n]]
    return chosen

def devices(pbc, source):
    if "// bits of the processor" in open(source).read():
        print(f"{source}: compares bits, and a device contracts other sums to fused multiply-adds")
        return
    os.environ["PB_DEVICES"] = os.environ.get("DEVICE", "fake")
    print(f"{source}: {test_lines(pbc, source, [], one_of_each_kind(placements, source))} cases on a device")

def configurations(info):
    """Every alternative of every transform forced in turn; then everything in tasks."""
    yield "default", ""
    forced = []
    for t in info["transforms"]:
        for site in choices(t):
            for a in site["alternatives"][1:]:
                forced.append((f"{t['name']} = {a['name']}", t["name"], choosing(site, a["name"])))
    # All combinations while they are few, each alone otherwise.
    sites = [(t["name"], s) for t in info["transforms"] for s in choices(t)]
    combinations = math.prod(len(s["alternatives"]) for _, s in sites)
    if 1 < combinations <= 24:
        for names in itertools.product(*[[a["name"] for a in s["alternatives"]] for _, s in sites]):
            tables = {}
            for (t, s), n in zip(sites, names):
                tables[t] = tables.get(t, "") + choosing(s, n)
            text = "".join(f'["{t}"]\n{lines}' for t, lines in tables.items())
            yield ", ".join(f"{t} = {n}" for (t, _), n in zip(sites, names)), text
    else:
        for name, transform, choice in forced:
            yield name, f'["{transform}"]\n{choice}'
    def everywhere(own, transform=None, choice=""):
        """The lines own(t) for every transform t, and the choice for that one."""
        return "".join(f'["{t["name"]}"]\n{own(t)}' + (choice if t["name"] == transform else "") for t in info["transforms"])
    def tiles(t):
        return "".join(f"{n} = 48\n" for n in ("tile_bytes", "turn_bytes") if any(x["name"] == n for x in t["tunables"]))
    def tasks(t):
        return "sequential_cutoff = 0\nsplit_size = 2\n" + tiles(t)
    yield "forced tasks", everywhere(tasks)
    for name, transform, choice in forced:
        yield name + " in tasks", everywhere(tasks, transform, choice)
    if any(tiles(t) for t in info["transforms"]):
        yield "small tiles", everywhere(tiles)
        for name, transform, choice in forced:
            yield name + " in small tiles", everywhere(tiles, transform, choice)

def programs(pbc, source):
    print(f"{source}: {test_lines(pbc, source, [], configurations)} cases")

def test_lines(pbc, source, words, configurations):
    """Compiles the program with further words and runs its test lines; returns how many there are."""
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "prog")
        with_words = re.search(r"^// with: (.*)", open(source).read(), re.M)
        words = words + (with_words[1].split() if with_words else [])
        made = run([os.path.abspath(pbc), os.path.basename(source), "-o", binary] + words,
                   cwd=os.path.dirname(os.path.abspath(source)), timeout=500)
        if made.returncode != 0:
            fail(f"{source} {' '.join(words)} does not compile:\n{made.stderr}")
        for text in re.findall(r"^\s*// warns: (.*)", open(source).read(), re.M):
            if not re.search("^.*warning: .*" + re.escape(text), made.stderr, re.M):
                fail(f"{source}: no warning with: {text}\n{made.stderr}")
        info = json.loads(run([binary, "--info"]).stdout)
        os.environ.setdefault("PB_DEVICES", "none")
        cases, params, transform, fixed, open_config = 0, [], None, [], False
        for number, line in enumerate(open(source), 1):
            m = re.match(r"\s*// (test|fails|ends \d+|check|param|transform|config):\s*(.*)", line)
            if not m:
                continue
            kind, text = m[1], m[2].strip()
            status = 0 if kind == "test" else int(kind.split()[1]) if kind.startswith("ends") else 1
            if kind == "param":
                params = text.split()
                continue
            if kind == "transform":
                transform = text
                continue
            if kind == "config":
                fixed = (fixed if open_config else []) + ([text] if text else [])
                open_config = True
                continue
            open_config = False
            cases += 1
            if kind == "check":
                main = [f"--transform={transform}"] if transform else []
                for n in text.split():
                    done = run([binary, "--check", f"--n={n}", "--noconfig", "--threads=2"] + main)
                    if done.returncode != 0 or "compute the same" not in done.stdout + done.stderr:
                        fail(f"{source}:{number}: --check --n={n} {' '.join(main)}\n{done.stdout}{done.stderr}")
                continue
            left, right = [s.strip() for s in text.split("=>")]
            inputs = []
            for k, matrix in enumerate(split_matrices(left)):
                inputs.append(os.path.join(folder, f"in{k}.txt"))
                write_matrix(inputs[-1], *parse_matrix(matrix))
            expected = [parse_matrix(m) for m in split_matrices(right)] if kind == "test" else []
            wanted = transform or info["main"]
            tested = next(t for t in info["transforms"] if t["name"] == wanted or t["name"].startswith(wanted + "<"))
            count = sum(m["role"] == "output" for m in tested["matrices"])
            outputs = [os.path.join(folder, f"out{k}.txt") for k in range(count)]
            chosen = [("fixed", "\n".join(fixed) + "\n")] if fixed else configurations(info)
            for name, toml in chosen:
                config = os.path.join(folder, "force.toml")
                with open(config, "w") as f:
                    f.write(toml)
                for path in outputs:
                    if os.path.exists(path):
                        os.remove(path)
                for threads in ([1, 3] if "tasks" in name else [2]):
                    command = [binary, f"--config={config}", f"--threads={threads}"]
                    command += [f"--transform={transform}"] if transform else []
                    done = run(command + params + inputs + outputs, cwd=folder)
                    where = f"{source}:{number} ({name}, {threads} threads)"
                    if kind != "test":
                        if done.returncode != status or right not in done.stderr:
                            fail(f"{where}: status {done.returncode}, expected a message with: {right}\n{done.stderr}")
                        if any(os.path.exists(path) for path in outputs):
                            fail(f"{where}: an output was written")
                        continue
                    if done.returncode != 0:
                        fail(f"{where}: status {done.returncode}\n{done.stderr}")
                    if os.environ.get("NO_FALLBACK") and "runs on the processor" in done.stderr:
                        fail(f"{where}: not on the device\n{done.stderr}")
                    # a version that needs more of a group's memory than the device has may give way
                    if re.search("runs in its simplest version(?!.* bytes of memory, and can have )|does not compile", done.stderr):
                        fail(f"{where}: {done.stderr}")
                    for path, (extents, values) in zip(outputs, expected):
                        got_extents, got = read_matrix(path)
                        if got_extents != extents or len(got) != len(values) or not all(map(close, got, values)):
                            fail(f"{where}: expected {extents} {values}\n  got {got_extents} {got}")
        if cases == 0:
            fail(f"{source} has no test line")
        return cases

# ---- kernels

def kernel_configurations(pbc, source, count):
    """Texts of [kernels]: each kernel with one option at another value, or with an edited script, `count` times, the same
    ones every time."""
    listed = run([pbc, "explain", "--kernels", "--json", source])
    if listed.returncode != 0:
        fail(f"{source}: {listed.stderr}")
    changes = []
    chosen = random.Random(os.path.basename(source))
    for t in json.loads(listed.stdout)["transforms"]:
        for kernel in t.get("kernels", []):
            options = [[f'"{t["name"]}"."{kernel["name"]}".{o["option"]} = "{value}"' for value in o["others"]]
                       for o in kernel["options"]]
            options += [[f'"{t["name"]}"."{kernel["name"]}".script = {json.dumps(script)}' for script in e["others"]]
                        for e in kernel.get("script", {"edits": []})["edits"]]
            chosen.shuffle(options)
            for values in options:
                chosen.shuffle(values)
            rounds = itertools.zip_longest(*options)  # each option once before a second value of one
            changes.append([change for values in rounds for change in values if change])
    for k in range(min(count, max(map(len, changes), default=0))):
        yield "[kernels]\n" + "".join(c[k % len(c)] + "\n" for c in changes if c)

def kernels(pbc, source):
    def default_and_tasks(info):
        yield from (c for c in configurations(info) if c[0] in ("default", "forced tasks"))
    with tempfile.TemporaryDirectory() as folder:
        file, made, cases = os.path.join(folder, "kernels.toml"), 0, 0
        for text in kernel_configurations(pbc, source, int(os.environ.get("COUNT", "6" if os.environ.get("PBC_ALL") else "3"))):
            with open(file, "w") as f:
                f.write(text)
            try:
                cases += test_lines(pbc, source, [f"--config={file}"], default_and_tasks)
            except SystemExit:
                print("with the configuration:\n" + text)
                raise
            made += 1
        if made == 0:
            print(f"{source} has no kernel with options")
            sys.exit(NOTHING_TO_TEST)
        print(f"{source}: {made} times other kernels, {cases} cases")

# ---- golden texts and errors

def compare(path, text):
    if os.environ.get("UPDATE"):
        with open(path, "w") as f:
            f.write(text)
        return
    want = open(path).read() if os.path.exists(path) else ""
    if want != text:
        import difflib
        fail(f"{path} differs:\n" + "".join(difflib.unified_diff(want.splitlines(True), text.splitlines(True), "expected", "found")))

def golden(pbc, source):
    folder, name = os.path.split(source)
    stem = name[: -len(".pbcc")]
    stages = [f[len(stem) + 1 : -4] for f in os.listdir(folder) if f.startswith(stem + ".") and f.endswith(".txt")]
    if not stages:
        fail(f"{source} has no {stem}.STAGE.txt")
    for stage in sorted(stages):
        how = {"explain": ["explain"], "explain-json": ["explain", "--json"],
               "explain-kernels": ["explain", "--kernels"]}.get(stage, [f"--emit={stage}"])
        done = run([pbc, *how, name], cwd=folder)
        if done.returncode != 0:
            fail(f"{' '.join(how)} {source}: status {done.returncode}\n{done.stderr}")
        text = done.stdout
        if stage == "cpp": # a release changes no golden text
            text = text.replace('"' + run([pbc, "--version"]).stdout.strip() + '"', '"pbc VERSION"')
        if stage == "opencl": # without the prelude, which is the runtime's
            text = text[text.index("// ==== ", text.index("// ==== prelude") + 1):]
        compare(os.path.join(folder, f"{stem}.{stage}.txt"), text)

def error(pbc, source):
    folder, name = os.path.split(source)
    words = re.search(r"^// with: (.*)", open(source, errors="replace").read(), re.M)
    with tempfile.TemporaryDirectory() as temporary:
        binary = os.path.join(temporary, "prog")
        done = run([pbc, name, "-o", binary] + (words[1].split() if words else []), cwd=folder)
        if done.returncode != 1:
            fail(f"{source}: status {done.returncode}, expected 1\n{done.stderr}")
        if os.listdir(temporary):
            fail(f"{source}: something was written: {os.listdir(temporary)}")
        if "internal error" in done.stderr:
            fail(f"{source}: {done.stderr}")
        compare(source[: -len(".pbcc")] + ".txt", done.stderr.replace(temporary + "/", ""))

# ---- tuning to accuracy targets

def tune(pbc, source):
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "prog")
        made = run([pbc, source, "-o", binary])
        if made.returncode != 0:
            fail(f"{source} does not compile:\n{made.stderr}")
        bins = [t["name"] for t in json.loads(run([binary, "--info"]).stdout)["transforms"] if "accuracy_target" in t]
        for budget in (9, 40): # on a busy machine a bin's share of the first one may be over before there is a result
            tuned = run([pbc, "tune", binary, "--json", f"--budget={budget}", "--n=256"])
            if tuned.returncode != 0:
                fail(f"{source}: tuning ends with status {tuned.returncode}\n{tuned.stderr}")
            results = json.loads(tuned.stdout)
            if len(results) == len(bins):
                break
            late = [b for b in bins if b not in [r["accuracy"]["transform"] for r in results]]
            if not all(f"the time of {b} was over" in tuned.stderr for b in late):
                fail(f"{source}: there is no result and no word of {late}:\n{tuned.stderr}")
        if [r["accuracy"]["transform"] for r in results] != bins:
            fail(f"{source}: {bins} expected, tuned: {tuned.stdout}")
        for r in results:
            if not r["accuracy"]["met"] or not r["accuracy"]["other_inputs"] or r["accuracy"]["missed_at"]:
                fail(f"{source}: {json.dumps(r, indent=1)}")
        # What holds from a power of two on, holds up to the next.
        for transform, n in itertools.product(bins, [64, 127, 128, 255, 256]):
            done = run([binary, f"--transform={transform}", f"--n={n}", "--seed=4711", "--accuracy"])
            if done.returncode != 0 or ": met)" not in done.stdout:
                fail(f"{source}: {transform}, n = {n}: {done.stdout}{done.stderr}")
        print(f"{source}: {len(bins)} bins")

if __name__ == "__main__":
    if len(sys.argv) != 4:
        fail(__doc__)
    modes = {"programs": programs, "golden": golden, "error": error, "kernels": kernels, "tune": tune, "devices": devices}
    modes[sys.argv[1]](os.path.abspath(sys.argv[2]), sys.argv[3])
