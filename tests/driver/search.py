#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc space and pbc prove as a user calls them: search.py PBC

The rates of the machines here are made up: those of `fast` are above any machine's, so that bounds hold everywhere; those of `slow`
are below, so that a bound must be refuted.
"""
import json, os, signal, subprocess, sys, tempfile, time

PBC = os.path.abspath(sys.argv[1])

PROGRAM = """transform Scale from X[n], alpha to Y[n] {
  Y.cell(i) from(X.cell(i) x, alpha a) { return a * x; }
}
transform Walk from X[n] to Y[n] {
  Y.cell(i) from(X.cell(i) x, X.all() all) { double v = x; while (v > 1) v /= 2; return v; }
}
"""
ROOTS = """transform Roots from A[n] to B[n], C[n] {
  rule P B.cell(i) from(A.cell(i) a) { return sqrt(a); }
  rule Q C.cell(i) from(A.cell(i) a) { return a * 2; }
}
"""
SIZES = """#ifndef OFFSET
#define OFFSET 1
#endif
transform Sizes from A[n, m] to B[n, m] { B.cell(x, y) from(A.cell(x, y) a) { return a + OFFSET; } }
"""
HALF = """transform Half from A[n, n] to B[n, n] {
  structure A is lower_triangular, unchecked;
  B.cell(x, y) from(A.cell(x, y) a) { return a + 1; }
}
"""
PRODUCT = """kernel Product [n, m]  may reassociate
  buffer s double 2-d local
  buffer A double 2-d input
  buffer B double 2-d input
  buffer C double 2-d output
  S0[x, y]: s[x, y] = 0.0
    { S0[x, y] : 0 <= x < n and 0 <= y < n }
  S1[x, y; i]: s[x, y] += A[i, y] * B[x, i]
    { S1[x, y, i] : 0 <= x < n and 0 <= y < n and 0 <= i < m }
  S2[x, y]: C[x, y] = s[x, y]
    { S2[x, y] : 0 <= x < n and 0 <= y < n }
  schedule
    band y
      band x
        alloc:s
          sequence
            S0
            S1
              band i
            S2
"""
BLUR = """transform Blur from A[n, m] to C[n - 2, m - 2] through T[n - 2, m] {
  rule rows T.cell(x, y) from(A.region(x, y, x + 3, y + 1) a) { return a.cell(0, 0) + a.cell(1, 0) + a.cell(2, 0); }
  rule columns C.cell(x, y) from(T.region(x, y, x + 1, y + 3) t) { return t.cell(0, 0) + t.cell(0, 1) + t.cell(0, 2); }
}
"""
SUM = """kernel Sum [n]
  buffer s double 0-d local
  buffer A double 1-d input
  buffer C double 0-d output
  S0[]: s[] = 0.0
    { S0[] }
  S1[; i]: s[] += A[i]
    { S1[i] : 0 <= i < n }
  S2[]: C[] = s[]
    { S2[] }
  schedule
    alloc:s
      sequence
        S0
        S1
          band i
        S2
"""
KINDS = ("add", "multiply", "fma", "divide", "sqrt")


def machine(rate, latency):
    text = 'name = "test"\nkind = "processor"\nsource = "test"\nunits = 2\nlanes = 16\nclock = 3e9\n'
    for name, size in (("L1", 49152), ("L2", 2097152), ("global", 1 << 34)):
        scope = "machine" if name == "global" else "unit"
        text += (f'[[memory]]\nname = "{name}"\nscope = "{scope}"\nbytes = {size}\nbytes_per_second = {rate * 16}\n'
                 f'latency = {latency}\n')
    for number in ("f32", "f64"):
        for kind in KINDS:
            text += f'[[resource]]\nname = "{kind}_{number}"\nlatency = {latency}\nunit = {rate}\nunit_numbers = {rate * 16}\n'
    text += f'[[resource]]\nname = "issue"\nunit = {rate}\n'
    for kind in ("load", "store"):
        text += f'[[resource]]\nname = "{kind}"\nunit = {rate}\nunit_numbers = {rate * 16}\n'
    return text


def run(folder, *arguments):
    return subprocess.run([PBC, *arguments], cwd=folder, capture_output=True, text=True, timeout=200)


def check(condition, what):
    if not condition:
        print(what)
        sys.exit(1)


def spaces(folder):
    done = run(folder, "space", "product.kernel", "--n=64", "--size=m=32", "--tiles=4,8", "--levels=1", "--json")
    check(done.returncode == 0, done.stderr)
    found = json.loads(done.stdout)["kernels"][0]
    check(found["kernel"] == "Product" and found["sizes"] == "m = 32, n = 64", found)
    check(len(found["spaces"]) == 28 and found["exact"], [s["loops"] for s in found["spaces"]])
    check(sum(s["programs"] for s in found["spaces"]) == found["programs"] > 1e3, found["programs"])
    uncut = found["spaces"][0]
    check(uncut["loops"] == "y in 1 level, x in 1 level" and uncut["programs"] == 2, uncut)
    text = run(folder, "space", "program.pbcc", "--kernel=Scale.rule0", "--n=64", "--levels=1").stdout
    check(text.startswith("kernel Scale.rule0, n = 64: ") and "programs in 2 spaces" in text, text)
    listed = run(folder, "space", "--list").stdout
    check("kind: How the iterations" in listed and "[K4]" in listed and "fused" in listed, listed)


def proofs(folder):
    arguments = ("prove", "product.kernel", "--n=24", "--tiles=4,8", "--levels=1", "--machine=./fast.toml", "--measured=5",
                 "--enough=1", "--quiet", "--json", "--journal=times")
    done = run(folder, *arguments)
    check(done.returncode == 0, done.stderr)
    found = json.loads(done.stdout)["kernels"][0]
    check(0 < found["bound_seconds"] <= found["best_seconds"] <= found["default_seconds"], found)
    check(found["gap"] >= 1 and found["measured"] == 5 and found["space"] > 100 and "refuted" not in found, found)
    check(found["default_script"] == "tasks(); registers(y, x)", found)
    check(all(0 < ratio <= 1 for ratio in found["bound_over_time"]), found)
    # The script that is printed is one that pbc opt runs.
    opt = run(folder, "opt", "product.kernel", "--verify", "--pass=" + found["script"])
    check(opt.returncode == 0, opt.stderr)
    # With the journal nothing is measured again.
    lines = open(os.path.join(folder, "times")).readlines()
    again = json.loads(run(folder, *arguments).stdout)["kernels"][0]
    check(again["best_seconds"] == found["best_seconds"] and again["script"] == found["script"], (found, again))
    check(open(os.path.join(folder, "times")).readlines() == lines, "the journal has grown")
    # A line that was not written to its end is left out.
    with open(os.path.join(folder, "times"), "w") as out:
        out.writelines(lines[:-1])
        out.write(lines[-1][:20])
    check(run(folder, *arguments).returncode == 0, "a journal that was cut")
    for strategy in ("best-first", "depth-first", "descents"):
        done = run(folder, "prove", "sum.kernel", "--n=1000", "--tiles=4,8", "--machine=./fast.toml", "--quiet", "--budget=20",
                   f"--strategy={strategy}", "--measured=4")
        check("  best:    " in done.stdout and "  limit:   " in done.stdout, done.stdout + done.stderr)
    text = run(folder, "prove", "program.pbcc", "--n=1000", "--machine=./fast.toml", "--measured=2", "--quiet").stdout
    check("kernel Scale.rule0, n = 1000\n  best: " in text, text)


def chains(folder):
    """Rules that hand on a temporary are one kernel, whose nests may share loops."""
    text = run(folder, "--emit=chains", "blur.pbcc").stdout
    check(text.count("kernel ") == 3 and "kernel Blur.rows+columns [n, m]" in text and "T double 2-d output, private" in text, text)
    with open(os.path.join(folder, "blur.kernel"), "w") as out:
        out.write(text)
    done = run(folder, "space", "blur.pbcc", "--n=40", "--tiles=4", "--levels=1", "--json")
    check(done.returncode == 0, done.stderr)
    kernels = {k["kernel"]: k for k in json.loads(done.stdout)["kernels"]}
    check(list(kernels) == ["Blur.rows", "Blur.columns", "Blur.rows+columns"], list(kernels))
    chain = kernels["Blur.rows+columns"]
    check(len(chain["spaces"]) == 4 and chain["spaces"][0]["programs"] == 38 and chain["exact"], chain)
    # Each of many leaves has a time, none is below its bound, and the script applies to the printed kernel.
    done = run(folder, "prove", "blur.pbcc", "--kernel=Blur.rows+columns", "--n=40", "--tiles=4", "--levels=0", "--machine=./fast.toml",
               "--all", "--budget=100", "--quiet", "--json")
    check(done.returncode == 0, done.stderr)
    found = json.loads(done.stdout)["kernels"][0]
    check(found["complete"] and found["measured"] == found["space"] == 38 and found["not_measured"] == 0, found)
    check("refuted" not in found and all(0 < ratio <= 1 for ratio in found["bound_over_time"]), found)
    opt = run(folder, "opt", "blur.kernel", "--kernel=Blur.rows+columns", "--verify", "--pass=" + found["script"])
    check(opt.returncode == 0, opt.stderr)


def cores(folder):
    """Several cores share a loop: the space is of the first one's part, and the bound of both."""
    arguments = ("prove", "product.kernel", "--n=24", "--tiles=4", "--levels=0", "--machine=./fast.toml", "--cores=2", "--quiet", "--json")
    done = run(folder, *arguments, "--all", "--no-copies", "--budget=100")
    check(done.returncode == 0, done.stderr)
    found = json.loads(done.stdout)["kernels"][0]
    check(found["complete"] and found["not_measured"] == 0 and found["measured"] > 10, found)
    check("refuted" not in found and all(0 < ratio <= 1 for ratio in found["bound_over_time"]), found)
    check(found["script"].startswith("tasks("), found)
    chain = run(folder, "prove", "blur.pbcc", "--kernel=Blur.rows+columns", "--n=40", "--machine=./fast.toml", "--cores=2", "--quiet").stdout
    check("kernels of several nests are searched for one core" in chain, chain)


def journals(folder):
    """A journal has the times of many kernels; one whose text has changed is another one."""
    arguments = ("--n=100", "--levels=1", "--tiles=8", "--machine=./fast.toml", "--quiet", "--json", "--journal=both")
    first = json.loads(run(folder, "prove", "roots.pbcc", *arguments).stdout)["kernels"]
    check([k["kernel"] for k in first] == ["Roots.P", "Roots.Q"] and all(k["measured"] > 0 for k in first), first)
    lines = open(os.path.join(folder, "both")).readlines()
    check(json.loads(run(folder, "prove", "roots.pbcc", *arguments).stdout)["kernels"] == first, "the same times again")
    check(open(os.path.join(folder, "both")).readlines() == lines, "the journal of both kernels has grown")
    with open(os.path.join(folder, "roots.pbcc"), "w") as out:
        out.write(ROOTS.replace("sqrt(a)", "sqrt(a) / (a + 2)"))
    run(folder, "prove", "roots.pbcc", *arguments)
    check(len(open(os.path.join(folder, "both")).readlines()) > len(lines), "another body has the old one's times")


def records(folder):
    """Every program of a space is measured; the record is searched as the kernel is, and always in the same way."""
    arguments = ("prove", "sum.kernel", "--n=100", "--levels=1", "--tiles=4,8", "--machine=./fast.toml", "--quiet", "--json",
                 "--record=sum.record", "--journal=of_record")
    done = run(folder, *arguments)
    check(done.returncode == 0, done.stderr)
    found = json.loads(done.stdout)["kernels"][0]
    check(found["known"] == found["scripts"] >= 5 and found["programs"] >= found["scripts"], found)
    lines = open(os.path.join(folder, "of_record")).readlines()
    check(len(lines) == found["scripts"] + 2, (len(lines), found))  # the first line, and the default
    whole = json.loads(run(folder, "prove", "sum.record", "--all", "--quiet", "--json").stdout)["kernels"][0]
    check(whole["measured"] == found["programs"] and whole["best_seconds"] == whole["recorded_seconds"] > 0, (found, whole))
    check("refuted" not in whole and whole["bound_over_time"][4] <= 1, whole)
    for options in (("--strategy=depth-first",), ("--any-order", "--seed=3"), ("--strategy=descents", "--any-order", "--seed=4")):
        again = [run(folder, "prove", "sum.record", "--quiet", "--json", "--enough=1", *options).stdout for _ in range(2)]
        check(again[0] == again[1], again)
        one = json.loads(again[0])["kernels"][0]
        check(one["best_seconds"] == whole["best_seconds"] and one["complete"] and one["kernel"] == "Sum", one)
    # The times are those of the journal, and nothing is measured again.
    os.remove(os.path.join(folder, "sum.record"))
    run(folder, *arguments)
    check(open(os.path.join(folder, "of_record")).readlines() == lines, "the journal has grown")
    check(json.loads(run(folder, "prove", "sum.record", "--all", "--quiet", "--json").stdout)["kernels"][0] == whole, "another record")
    text = run(folder, "prove", "sum.record", "--quiet").stdout
    check(text.startswith("kernel Sum, n = 100\n  best:    "), text)


def interrupts(folder):
    """A search that is asked to end says what it has found, and leaves no files."""
    temporary = os.path.join(folder, "temporary")
    os.mkdir(temporary)
    journal = os.path.join(folder, "interrupted")
    search = subprocess.Popen([PBC, "prove", "product.kernel", "--n=32", "--machine=./fast.toml", "--quiet", "--budget=200", "--enough=1",
                               f"--journal={journal}"], cwd=folder, stdout=subprocess.PIPE, text=True, env=dict(os.environ, TMPDIR=temporary))
    for _ in range(1200):
        if os.path.exists(journal) and open(journal).read().count("measured") > 2:
            break
        time.sleep(0.05)
    search.send_signal(signal.SIGINT)
    text = search.communicate(timeout=60)[0]
    check(search.returncode == 0 and "  best:    " in text, (search.returncode, text))
    check(os.listdir(temporary) == [], os.listdir(temporary))


def refuted_bounds(folder):
    done = run(folder, "prove", "sum.kernel", "--n=1000", "--tiles=8", "--levels=1", "--machine=./slow.toml", "--quiet", "--json",
               "--enough=1", "--measured=8")
    found = json.loads(done.stdout)["kernels"][0]
    check("less than the" in found["refuted"][0] and "of the bound" in found["refuted"][0], found)
    check(found["bound_seconds"] <= found["best_seconds"], found)


def launches(folder):
    """pbc prove --device: the fastest launch on a device, which is the fake one here."""
    words = ("--n=40", "--quiet", "--budget=60", "--measured=4")
    def on(device, *more):
        return run(folder, "prove", "sizes.pbcc", *words, f"--device={device}", *more)

    found = json.loads(on("fake", "--machine=h100", "--json").stdout)["kernels"][0]
    check(found["device"] == "fake" and found["measured"] >= 4 and found["best_seconds"] > 0 and found["bound_seconds"] > 0, found)
    check("groups of 32 x 8 x 1, 1 x 1 x 1 points an item" in found["default_script"] and " points an item" in found["script"], found)
    text = on("fake", "--machine=h100", f"--journal={os.path.join(folder, 'launches')}").stdout
    check("  best:    " in text and "  bound:   " in text and "  default: " in text, text)
    again = json.loads(on("fake", "--machine=h100", "--json", f"--journal={os.path.join(folder, 'launches')}").stdout)["kernels"][0]
    check(f"{again['default_seconds']}" in open(os.path.join(folder, "launches")).read(), again)
    check("  not searched: there is no device 'fake:9'" in on("fake:9", "--machine=h100").stdout, "another device")
    for more, why in (((), "pbc prove: error: --device needs --machine\n"), (("--machine=./fast.toml",), " is no GPU\n"),
                      (("--machine=none.toml",), "none.toml"), (("--machine=h100", "--levels=1"), "--device")):
        done = on("fake", *more)
        check(done.returncode == 1 and why in done.stderr, (more, done.stderr))


def explains(folder):
    """pbc explain FILE --n=...: bounds of each rule, whatever its schedule."""
    def steps(*words):
        done = run(folder, "explain", "roots.pbcc", "--no-devices", "--json", "--machine=./fast.toml", *words)
        check(done.returncode == 0, done.stderr)
        told = json.loads(done.stdout)
        return told, {s["name"]: s for a in told["transforms"][0]["alternatives"] for s in a["steps"]}

    told, found = steps("--n=100000", "--threads=3")
    check(told["bounds_at"] == "n = 100000" and told["transforms"][0]["hash"], told)
    one, two, all_three = found["Q"]["bounds"]
    check([b["cores"] for b in found["Q"]["bounds"]] == [1, 2, 3], found)
    check(one["limit"] == "traffic" and not one["adds_up"] and one["derivation"].startswith("traffic: ") and one["remedy"], one)
    check(one["seconds"] > 2 * two["seconds"] > 0 and two["seconds"] > all_three["seconds"], found["Q"])
    twice = steps("--size=n=200000")[1]["Q"]["bounds"]
    check(len(twice) == 1 and twice[0]["seconds"] > 1.9 * one["seconds"], twice)
    roots = run(folder, "explain", "roots.pbcc", "--no-devices", "--n=1000", "--machine=./roots.toml").stdout
    check("      bound: no schedule takes less than " in roots and " on one core; compute: 1e+03 square roots of doubles, at " in roots, roots)
    check("        to lower it: Fewer operations, or a smaller type.\n" in roots, roots)
    walk = run(folder, "explain", "program.pbcc", "--no-devices", "--n=1000", "--machine=./fast.toml").stdout
    check("      no bound: the body of rule0 was not lifted: " in walk, walk)
    check(" bound: " not in run(folder, "explain", "roots.pbcc", "--no-devices").stdout, "bounds that nobody asked for")
    two_sizes = run(folder, "explain", "sizes.pbcc", "--no-devices", "--size=n=10", "--machine=./fast.toml").stdout
    check("      no bound: its size m has no value: --size=m=1024 gives it one\n" in two_sizes, two_sizes)
    half = run(folder, "explain", "half.pbcc", "--no-devices", "--n=1000", "--machine=./fast.toml").stdout
    check("      no bound: cells of A that are not stored need not be computed with\n" in half, half)
    # Options of the compiler follow after `--`.
    words = ("prove", "sizes.pbcc", "--n=50", "--machine=./fast.toml", "--measured=2", "--levels=0", "--quiet")
    check(run(folder, *words).returncode == 0, "sizes.pbcc")
    done = run(folder, *words, "--", "-DOFFSET=undefined_name")
    check(done.returncode == 1 and "undefined_name" in done.stderr, done.stdout + done.stderr)


def errors(folder):
    def refused(expected, *arguments):
        done = run(folder, *arguments)
        check(done.returncode == 1 and expected in done.stderr, (arguments, done.stdout, done.stderr))

    for command in ("space", "prove"):
        refused(f"pbc {command}: error: Product has no value for m, n\nhelp: --n=1024 gives all sizes one, --size=m=1024 this one\n"
                .replace("m, n", "n, m").replace("--size=m", "--size=n"), command, "product.kernel", *(["--machine=./fast.toml"] * (command == "prove")))
        refused(f"pbc {command}: error: there is no kernel Produkt here (did you mean 'Product'?)", command, "product.kernel", "--n=4",
                "--kernel=Produkt")
        refused(f"pbc {command}: error: --size=m gives no size a value\nhelp: it is written --size=NAME=VALUE\n", command,
                "product.kernel", "--size=m")
    refused("pbc prove: error: program.pbcc is no journal of this version\nhelp: --journal=FILE takes", "prove", "sum.kernel", "--n=9",
            "--machine=./fast.toml", "--journal=program.pbcc")
    check(open(os.path.join(folder, "program.pbcc")).read() == PROGRAM, "a file that is no journal was changed")
    refused("no kernel has a size m\nhelp: Sum has n\n", "prove", "sum.kernel", "--n=9", "--size=m=2", "--machine=./fast.toml")
    refused("has no rate for numbers of add_f32 of a unit\nhelp: measure it with pbc model measure", "prove", "sum.kernel", "--n=9", "--machine=./bare.toml")
    refused("has no rate for numbers of add_f32 of a unit\nhelp: measure it with pbc model measure", "explain", "roots.pbcc", "--n=9", "--machine=./bare.toml")
    refused("pbc explain: error: no transform has a size q\nhelp: the sizes are n\n", "explain", "roots.pbcc", "--size=q=9", "--machine=./fast.toml")
    refused("pbc explain: error: --size=q gives no size a value\nhelp: it is written --size=NAME=VALUE\n", "explain", "roots.pbcc", "--size=q")
    refused("pbc explain: error: --machine, --threads, --why and --times are for bounds and predictions, which need sizes\nhelp: --n=1024 gives all sizes a value, --size=NAME=1024 one\n",
            "explain", "roots.pbcc", "--machine=./fast.toml")
    refused("cannot be written", "prove", "sum.kernel", "--n=9", "--machine=./fast.toml", "--journal=none/times")
    refused("a record is of one kernel\nhelp: --kernel=NAME chooses it", "prove", "roots.pbcc", "--n=9", "--record=x.record", "--machine=./fast.toml")
    refused("sum.record cannot be recorded again\nhelp: --record=FILE takes a program or a kernel", "prove", "sum.record", "--record=x.record")
    refused("none.record cannot be read", "prove", "none.record")
    with open(os.path.join(folder, "no.record"), "w") as out:
        out.write("nothing")
    refused("no.record is no record of this version", "prove", "no.record")
    done = run(folder, "prove", "sum.kernel", "--n=0", "--machine=./fast.toml")
    check(done.returncode == 1, done.stdout)


with tempfile.TemporaryDirectory() as folder:
    for name, text in (("program.pbcc", PROGRAM), ("roots.pbcc", ROOTS), ("sizes.pbcc", SIZES), ("half.pbcc", HALF), ("product.kernel", PRODUCT), ("sum.kernel", SUM), ("blur.pbcc", BLUR), ("fast.toml", machine(1e12, 1e-13)),
                       ("slow.toml", machine(1e5, 1e-6)), ("roots.toml", machine(1e12, 1e-13).replace('"sqrt_f64"\nlatency = 1e-13\nunit = 1000000000000.0\nunit_numbers = 16000000000000.0', '"sqrt_f64"\nlatency = 1e-13\nunit = 1e6\nunit_numbers = 1e6')),
                       ("bare.toml", 'name = "bare"\nkind = "processor"\nsource = "test"\nunits = 1\nlanes = 4\n')):
        with open(os.path.join(folder, name), "w") as out:
            out.write(text)
    spaces(folder)
    proofs(folder)
    chains(folder)
    cores(folder)
    journals(folder)
    records(folder)
    interrupts(folder)
    refuted_bounds(folder)
    launches(folder)
    explains(folder)
    errors(folder)
print("pbc space and pbc prove do what they say")
