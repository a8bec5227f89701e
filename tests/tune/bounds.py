#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lower bounds in tuning, as a user gives them: bounds.py PBC

`pbc tune --bounds=FILE` and what `pbc explain ./prog` and the page say of it; `pbc tune --kernels --effort=prove`. The machines here are made
up: what `fast` can do is above any machine, so that its bounds hold everywhere; `slow` is below, so that a run refutes its bounds; `odd` has
divisions that take longer than any run, so that a rule with divisions cannot win.
"""
import html, json, os, sqlite3, sys, tempfile

from calls import check, run

PBC = os.path.abspath(sys.argv[1])
# With all that predictions need.
WHOLE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "driver", "processor.toml"))
ROOTS = """
transform Roots
from A[n]
to B[n]
{
  rule plain B.cell(i) from(A.cell(i) a) { return a * 2 + 1; }
  rule called B.cell(i) from(A.all() all) { double v = all.cell(i); while (v > 1e9) v -= 1; return v * 2 + 1; }
}
"""
# Two ways to the same cells; that with divisions is slow anyway, and far below the time of its bound on no machine.
WAYS = """
transform Ways
from A[n]
to B[n]
{
  rule few B.cell(i) from(A.cell(i) a) { return a + 1; }
  rule many B.cell(i) from(A.cell(i) a) { double s = a + 1, d = 1; for (int k = 0; k < 16; ++k) { d = d * 2; s = s / d * d; } return s; }
}
"""
KINDS = ("add", "multiply", "fma", "divide", "sqrt")


def machine(rate, latency, without="", **special):
    text = 'name = "test"\nkind = "processor"\nsource = "test"\nunits = 2\nlanes = 16\nclock = 3e9\n'
    for name, size in (("L1", 49152), ("L2", 2097152), ("global", 1 << 34)):
        scope = "machine" if name == "global" else "unit"
        text += (f'[[memory]]\nname = "{name}"\nscope = "{scope}"\nbytes = {size}\nbytes_per_second = {rate * 16}\n'
                 f'latency = {latency}\n')
    for number in ("f32", "f64"):
        for kind in KINDS:
            its = special.get(kind, rate)
            if f"{kind}_{number}" != without:
                text += f'[[resource]]\nname = "{kind}_{number}"\nlatency = {latency}\nunit = {its}\nunit_numbers = {its * 16}\n'
    text += f'[[resource]]\nname = "issue"\nunit = {rate}\n'
    for name in ("load", "store"):
        text += f'[[resource]]\nname = "{name}"\nunit = {rate}\nunit_numbers = {rate * 16}\n'
    return text


def put(name, text):
    with open(name, "w") as out:
        out.write(text)


def tune(*words):
    done = run(PBC, "tune", "--json", *words) # what follows `--` is for the compiler
    check(done.returncode == 0, done.stdout + done.stderr)
    return json.loads(done.stdout), done.stderr


def filters():
    """A rule that cannot win is not run where that is known; the result is that of a tuning without bounds."""
    check(run(PBC, "ways.pbcc", "--no-devices", "-o", "ways").returncode == 0, "ways.pbcc")
    common = ("./ways", "--n=20000", "--budget=100", "--trials=40", "--threads=1", "--strategy=exhaustive:points=40")
    plain, _ = tune(*common, "-o", "plain.cfg")
    check("bound" not in plain, plain)
    bounded, said = tune(*common, "-o", "ways.cfg", "--bounds=ways.pbcc", "--machine=./odd.toml", "--", "--no-devices")
    check("internal error" not in said and bounded["bound"]["refuted"] == [], (bounded["bound"], said))
    check(bounded["bound"]["left_out"] > 0, bounded["bound"])
    check(any("Ways with many cannot win at" in line for line in bounded["bound"]["cannot_win"]), bounded["bound"])
    # At sizes of a few cells, which the bounds know no times of, the two are equal.
    at_full_size = lambda result: [c.removesuffix(" always").split()[-1] for c in result["choices"] if c.startswith("Ways:")]
    check(at_full_size(bounded) == at_full_size(plain) == ["few"], (bounded["choices"], plain["choices"]))
    check(bounded["bound"]["seconds"] > 0 and bounded["bound"]["time_over_bound"] > 1 and bounded["bound"]["limit"] == "traffic",
          bounded["bound"])
    with sqlite3.connect("ways.tune.sqlite") as journal:
        rows = journal.execute("select toml, reason, time_limit from trials where outcome = 'left out'").fetchall()
        check(len(rows) == bounded["bound"]["left_out"], len(rows))
        check(all("many" in toml and "was not run: it takes" in why and "divisions of doubles" in why and bound > 0
                  for toml, why, bound in rows), rows[0])


def shows():
    """pbc explain ./prog and the page, from the journal alone."""
    done = run(PBC, "explain", "./ways")
    check(done.returncode == 0 and "  bounds at n=20000\n" in done.stdout, done.stdout + done.stderr)
    check("    few: " in done.stdout and " times the bound\n      few: traffic: " in done.stdout, done.stdout)
    check("    many: " in done.stdout and "not measured\n      many: compute: " in done.stdout, done.stdout)
    check("to lower it: Fewer operations, or a smaller type." in done.stdout, done.stdout)
    rows = json.loads(run(PBC, "explain", "--json", "./ways").stdout)["bounds"]
    few = [r for r in rows if r["size"] == "n=20000" and r["alternative"] == "few"][0]
    check(few["chosen"] and abs(few["seconds"] / few["bound_seconds"] - few["time_over_bound"]) < 1e-6, few)
    check(few["limit"] == "traffic" and "equation 9.2" in few["derivation"] and few["remedy"], few)
    check(run(PBC, "report", "./ways", "-o", "page.html").returncode == 0, "report")
    page = html.unescape(open("page.html").read())
    check("How far from the bounds" in page and "Time over bound" in page and few["derivation"] in page, "the page has no bounds")
    check("times a configuration was not run, because its bound was above the best time" in page, "the page")


def says_why():
    """What is predicted to limit the rules, with --why."""
    tune("./ways", "--n=20000", "--budget=60", "--trials=4", "-o", "why.cfg", "--bounds=ways.pbcc", f"--machine={WHOLE}", "--why", "--", "--no-devices")
    done = run(PBC, "explain", "./ways", "--config=why.cfg", "--journal=why.tune.sqlite")
    check("  predicted limits at n=20000, on one core\n" in done.stdout and " of many: limited by " in done.stdout, done.stdout + done.stderr)
    rows = json.loads(run(PBC, "explain", "--json", "./ways", "--config=why.cfg", "--journal=why.tune.sqlite").stdout)["predicted_limits"]
    check({r["alternative"] for r in rows} == {"few", "many"} and all(r["predicted_seconds"] > 0 for r in rows), rows)
    check(all(sum(r["elasticities"].values()) > 0.5 for r in rows), rows)
    lines = {r["alternative"]: {region["where"] for region in r["regions"]} for r in rows}
    check(all(lines.values()) and all(where.startswith("line ") for all_of in lines.values() for where in all_of), rows)
    check(lines["few"] != lines["many"], "rules at different lines: " + str(lines))
    for r in rows:
        limit = max(r["elasticities"], key=r["elasticities"].get)
        check(f"      of {limit}: {r['regions'][0]['where']} {r['regions'][0]['value']:.2f}" in done.stdout, done.stdout)
    check(run(PBC, "report", "./ways", "--config=why.cfg", "--journal=why.tune.sqlite", "-o", "why.html").returncode == 0, "report")
    page = html.unescape(open("why.html").read())
    check("What limits the rules" in page and "Where the time of rules goes" in page and rows[0]["verdict"] in page, "the page has no limits")
    check(f'{rows[0]["regions"][0]["where"]} {rows[0]["regions"][0]["value"]:.2f}' in page, "the page has no lines")
    done = run(PBC, "tune", "./ways", "--n=2000", "--why")
    check(done.returncode == 1 and "--bounds=FILE.pbcc names it" in done.stderr, done.stderr)


def is_guided():
    """--guide: what is predicted to be fast is measured at the full size before the search, which begins with small ones."""
    open("turned.pbcc", "w").write("""transform Turned from A[w, h] to B[h, w] {
  rule Cells
  B.cell(x, y) from(A.cell(y, x) a) { return a; }
  schedule tiled for Cells { tasks(); tile(y, x; 16, 16); vector(x); }
}
""")
    check(run(PBC, "turned.pbcc", "-o", "turned", "--no-devices").returncode == 0, "turned.pbcc does not compile")
    said = run(PBC, "explain", "turned.pbcc", "--n=512", "--times", f"--machine={WHOLE}", "--no-devices").stdout
    check(" on one core\n        by its other schedules: cpu:tiled " in said, said)
    for words, is_expected in ((["--guide"], True), ([], False)):
        _, said = tune("./turned", "--n=512", "--budget=4", "-o", "turned.cfg", "--fresh", "--report=none", "--threads=1", "--bounds=turned.pbcc", f"--machine={WHOLE}", *words, "--", "--no-devices")
        check(("measuring what is predicted to be fast" in said) == is_expected, said)
    done = run(PBC, "tune", "./turned", "--n=512", "--guide")
    check(done.returncode == 1 and "--guide predicts what is in a source\n  help: --bounds=FILE.pbcc" in done.stderr, done.stderr)


def is_refuted():
    """A bound above a measurement is an internal error that names it; the tuning goes on without it."""
    result, _ = tune("./ways", "--n=2000", "--budget=60", "--trials=10", "-o", "refuted.cfg", "--bounds=ways.pbcc", "--machine=./slow.toml", "--", "--no-devices")
    why = result["bound"]["refuted"]
    check(why and "took" in why[0] and "less than the" in why[0] and "of the bound of" in why[0], why)
    done = run(PBC, "tune", "./ways", "--n=2000", "--budget=60", "--trials=10", "-o", "refuted.cfg", "--bounds=ways.pbcc", "--machine=./slow.toml", "--",
               "--no-devices")
    check("internal error: a bound was too high and was left out; please report it: a run at n=" in done.stdout, done.stdout)
    check("  bound         none: no rule of the result has one" in done.stdout, done.stdout)


def refuses():
    def refused(said, *words):
        done = run(PBC, "tune", *words)
        check(done.returncode == 1 and said in done.stderr, (words, done.stdout, done.stderr))

    refused("--bounds=other.pbcc: this is not the source of ./ways: its transform Ways is another one\n"
            "  help: compile it again; options of the compiler, as -DN=4, follow after `--`",
            "./ways", "--n=2000", "--budget=3", "--bounds=other.pbcc", "--machine=./fast.toml", "-o", "no.cfg")
    with open("square.pbcc", "w") as f:
        f.write("transform Square from A[w, h] to B[w, h] { B.cell(x, y) from(A.cell(x, y) a) { return a * a; } }")
    refused("--bounds=square.pbcc: this is not the source of ./ways: its transform Ways is missing\n",
            "./ways", "--n=2000", "--budget=3", "--bounds=square.pbcc", "--machine=./fast.toml", "-o", "no.cfg")
    refused("the description of test has no rate for numbers of add_f64 of a unit; help: measure it with pbc model measure",
            "./ways", "--n=2000", "--budget=3", "--bounds=ways.pbcc", "--machine=./bare.toml", "-o", "no.cfg")
    refused("the machine's file ./none.toml cannot be read", "./ways", "--n=2000", "--budget=3", "--bounds=ways.pbcc",
            "--machine=./none.toml", "-o", "no.cfg")
    refused("--machine and --enough are for bounds\n  help: --bounds=FILE.pbcc, or --kernels --effort=prove", "./ways",
            "--machine=./fast.toml")
    refused("the description of test has no rate for numbers of add_f64 of a unit; help: measure it with pbc model measure",
            "--kernels", "roots.pbcc", "--n=2000", "--budget=6", "--effort=prove", "--machine=./bare.toml", "-o", "no")
    check(not os.path.exists("no.cfg") and not os.path.exists("no"), os.listdir())


def proves():
    """--kernels --effort=prove: the search by lower bounds comes first, and what it finds is compared with the rest."""
    result, said = tune("--kernels", "roots.pbcc", "--n=100000", "--budget=24", "--trials=2", "--effort=prove", "--machine=./fast.toml")
    proofs = {p["kernel"]: p for p in result["proofs"]}
    plain = proofs["Roots.plain"]
    check(plain["sizes"] == "n = 100000" and 0 < plain["bound_seconds"] <= plain["best_seconds"], plain)
    check(plain["gap"] > 1.05 and not plain["left_alone"] and plain["measured"] > 0 and plain["limit"].startswith("traffic: "), plain)
    check("searching Roots.plain by lower bounds" in said, said)
    check("Roots.called" not in proofs or "why" in proofs["Roots.called"], proofs)
    check(os.path.exists("roots.prove.jsonl"), os.listdir())
    check(run("./roots", "--n=77", "--hash").returncode == 0, "the program")
    # Near enough. That nothing but tasks is edited then, test_tuner checks.
    again, _ = tune("--kernels", "roots.pbcc", "--n=100000", "--budget=24", "--trials=1", "--effort=prove", "--machine=./fast.toml", "--enough=1000000")
    check(again["proofs"][0]["left_alone"], again["proofs"])
    text = run(PBC, "tune", "--kernels", "roots.pbcc", "--n=100000", "--budget=24", "--trials=1", "--effort=prove", "--machine=./slow.toml",
               "--enough=1.5")
    check(text.returncode == 0 and "internal error: a bound was too high and was left out; please report it: " in text.stdout, text.stdout)
    check("  proofs        Roots.plain: at n = 100000, " in text.stdout and " on one core" in text.stdout, text.stdout)


with tempfile.TemporaryDirectory() as temporary:
    os.chdir(temporary)
    put("roots.pbcc", ROOTS)
    put("ways.pbcc", WAYS)
    put("other.pbcc", WAYS.replace("a + 1", "a + 2"))
    put("fast.toml", machine(1e12, 1e-13))
    put("odd.toml", machine(1e12, 1e-13, divide=1.0))
    put("slow.toml", machine(1e5, 1e-6))
    put("bare.toml", machine(1e12, 1e-13, without="add_f64"))
    filters()
    shows()
    says_why()
    is_guided()
    is_refuted()
    refuses()
    proves()
    os.chdir("/")
print("bounds in tuning: as expected")
