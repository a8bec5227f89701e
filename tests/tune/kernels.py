#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`pbc tune --kernels`, as a user gives it: kernels.py PBC."""
import functools, json, os, signal, sqlite3, subprocess, sys, tempfile, time

from calls import check, run

PBC = os.path.abspath(sys.argv[1])
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
PROGRAM = """
transform Product
from A[c, h], B[w, c]
to AB[w, h]
{
  rule inner AB.cell(x, y) from(A.row(y) a, B.column(x) b) {
    ElementT s = 0;
    for (int k = 0; k < c; ++k) s += a.cell(k) * b.cell(k);
    return s * EXTRA;
  }
}
"""
TURN = """
transform Turn
from A[n, n]
to B[n, n]
{
  rule cells B.cell(x, y) from(A.cell(y, x) a, A.cell(y - 1, x) b) { return a + b; }
  rule edge secondary B.cell(x, y) from(A.cell(y, x) a) { return a; }
}
"""
POWERS = """
transform Powers
from A[n]
to B[n]
{
  rule all B.cell(i) from(A.cell(i) a) { return %s; }
}
""" % functools.reduce(lambda inner, k: f"({inner} * a + {k})", range(1, 20), "a")
CONFIGURATION = "# mine\nthreads = 2\n\n[Product]\nsplit_size = 512 # not more\n"

def hash_of(program, *words):
    done = run(program, "--n=77", "--hash", *words)
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    return done.stdout

def tunes(folder):
    with open("prog.cfg", "w") as f:
        f.write(CONFIGURATION)
    done = run(PBC, "tune", "--kernels", "prog.pbcc", "--n=96", "--budget=100", "--trials=6", "--jobs=2", "--json", "--", "-DEXTRA=2")
    check(done.returncode == 0, done.stdout + done.stderr)
    result = json.loads(done.stdout)
    check(result["size"] == "c=96 h=96 w=96" and result["tried"] > 3 and result["compiled"] > 3, done.stdout)
    check(result["rejected"] == [], done.stdout)
    check(result["output"] == "prog.cfg" and os.access("prog", os.X_OK), done.stdout)
    written = open("prog.cfg").read()
    check(written.startswith(CONFIGURATION), written)
    check(("[kernels]" in written) == bool(result["kernels"]) and all(k in written for k in result["kernels"]), written)
    run(PBC, "prog.pbcc", "-DEXTRA=2", "-o", "plain")
    check(hash_of("./prog") == hash_of("./plain"), "the tuned program gives another result")
    check(sorted(os.listdir(folder)) == ["plain", "prog", "prog.cfg", "prog.pbcc", "prog.tune.sqlite"], os.listdir(folder))

def goes_on():
    """From the settings of the file; slow ones are given up, and the section is compiled again."""
    for slow in ('Powers.all.vector = "off"', 'Powers.all.script = "tasks(); scalar(i)"'):
        with open("powers.cfg", "w") as f:
            f.write(f"# mine\nthreads = 2\n\n[kernels]\n{slow}\n")
        done = run(PBC, "tune", "--kernels", "powers.pbcc", "--n=100000", "--budget=150", "--trials=3", "--json")
        check(done.returncode == 0, done.stdout + done.stderr)
        result = json.loads(done.stdout)
        check(result["raced"] and result["changed"] and result["speedup"] > 1.5, done.stdout)
        check(all(k.startswith("Powers.all.script = ") and "scalar" not in k for k in result["kernels"]), done.stdout)
        check(slow not in open("powers.cfg").read(), "the slow setting is still there")
    run(PBC, "powers.pbcc", "-o", "plain_powers")
    done = run(PBC, "powers.pbcc", "--config=powers.cfg", "-o", "again")
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    check(hash_of("./again", "--config=powers.cfg") == hash_of("./plain_powers"), "compiled again it gives another result")
    check("\n".join(result["kernels"]) in run("./again", "--print-config").stdout, "--print-config")
    check(run(PBC, "tune", "./again", "--budget=2", "--n=64", "-o", "powers.cfg").returncode == 0, "tuning choices")
    check(all(k in open("powers.cfg").read() for k in result["kernels"]), "tuning choices forgets the kernels")

def guided():
    """By the figures of a machine's file a transposition in blocks is faster; a model has little time, and says how much it took."""
    machine = os.path.join(ROOT, "tests/driver/processor.toml")
    done = run(PBC, "tune", "--kernels", "turn.pbcc", "--guide", f"--machine={machine}", "--n=200", "--budget=60", "--trials=6", "--json")
    check(done.returncode == 0, done.stdout + done.stderr)
    result = json.loads(done.stdout)
    cells, edge = result["predictions"]
    check(cells["kernel"] == "Turn.cells" and cells["times_as_fast"] >= 1 and "limited by" in cells["limit"], done.stdout)
    check(edge["kernel"] == "Turn.edge" and edge["why"] == "it takes little of the predicted time", done.stdout)
    check(0 < result["model"]["seconds"] < 30, done.stdout)
    check(hash_of("./turn") == hash_of("./turn", "--config=turn.cfg") if os.path.exists("turn.cfg") else True, "the same result")

def warns():
    with open("other.cfg", "w") as f:
        f.write("[kernels]\nProduct.inner.rows = 3\n")
    done = run("./plain", "--n=9", "--hash", "--config=other.cfg")
    check(done.returncode == 0 and done.stderr == "other.cfg:1:1: warning: the program was compiled with other kernels "
          "than [kernels] says (Product.inner.rows = 3): compile it with pbc --config=FILE\n", done.stderr)
    with open("other.cfg", "w") as f:
        f.write("[kernels]\nrows = 3\n")
    done = run("./plain", "--n=9", "--hash", "--config=other.cfg")
    check(done.returncode == 1 and "write TRANSFORM.RULE.jam = 2" in done.stderr, done.stderr)

def follows_scripts():
    """A script in several lines is built in, printed, and compared as it is."""
    with open("lines.cfg", "w") as f:
        f.write('[kernels]\nPowers.all.script = """\n  tasks(grain = 64);\n  vector(i; interleave = 2);\n"""\n')
    done = run(PBC, "powers.pbcc", "--config=lines.cfg", "-o", "lines")
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    check(hash_of("./lines", "--config=lines.cfg") == hash_of("./plain_powers"), "by a script it gives another result")
    with open("printed.cfg", "w") as f:
        f.write(run("./lines", "--print-config").stdout)
    check("interleave = 2" in open("printed.cfg").read(), open("printed.cfg").read())
    hash_of("./lines", "--config=printed.cfg") # without a warning
    run(PBC, "powers.pbcc", "--config=printed.cfg", "-o", "printed")
    hash_of("./printed", "--config=lines.cfg")
    done = run("./plain_powers", "--n=9", "--hash", "--config=lines.cfg")
    check("was compiled with other kernels" in done.stderr and done.returncode == 0, done.stderr)

def lists():
    """What the tuner asks is of this machine, and without that the same on each."""
    def scripts(*words):
        done = run(PBC, "explain", "--kernels", "--json", *words, "powers.pbcc")
        check(done.returncode == 0, done.stderr)
        return json.loads(done.stdout)["transforms"][0]["kernels"][0]["script"]
    typical, here = scripts(), scripts("--this-machine")
    check(typical["in_use"] == here["in_use"] and typical["without_vectors"] == "tasks(); scalar(i)", typical)
    check({e["of"] for e in typical["edits"]} == {e["of"] for e in here["edits"]} > {"body", "vector interleave"}, here)

def refuses():
    done = run(PBC, "tune", "--kernels", "./nothing.pbcc")
    check(done.returncode == 1 and "there is no such source" in done.stderr, done.stderr)
    done = run(PBC, "tune", "--kernels", "prog.pbcc", "-o", "bad")
    check(done.returncode == 1 and "EXTRA" in done.stderr and not os.path.exists("bad"), done.stderr)
    done = run(PBC, "tune", "./plain", "--jobs=3")
    check(done.returncode == 1 and "go with --kernels" in done.stderr, done.stderr)

def leaves():
    """What a tuning has not written is left as it is, and that is said before anything is compiled."""
    def refused(said, kept, *words):
        before = open(kept, "rb").read()
        done = run(PBC, "tune", "--kernels", *words, "--budget=2", "--n=64", "--", "-DEXTRA=2")
        check(done.returncode == 1 and said in done.stderr, done.stdout + done.stderr)
        check(open(kept, "rb").read() == before, f"{kept} was written over")

    def put(name, text):
        with open(name, "w") as file:
            file.write(text)

    os.makedirs("own")
    os.chdir("own")
    put("bare", PROGRAM)
    put("prog.pbcc", PROGRAM)
    put("prog.cfg", PROGRAM)
    refused("prog.pbcc is the source and the program", "prog.pbcc", "prog.pbcc", "-o", "prog.pbcc")
    refused("bare is the source and the program", "bare", "bare")
    refused("prog.cfg is the source and the configuration", "prog.cfg", "prog.cfg")
    refused("prog.cfg: the configuration cannot be written there: what is there is something else", "prog.cfg", "prog.pbcc")
    put("prog.cfg", "[server]\nport = 8080\n")
    refused("has an entry 'server', which is nothing of prog", "prog.cfg", "prog.pbcc")
    put("prog.cfg", 'program = "other"\n[Other]\nblock = 3\n')
    refused("belongs to another program, other, and is left as it is", "prog.cfg", "prog.pbcc")
    put("prog.cfg", "[Product]\nsplit_size = -7\n")
    refused("prog.cfg:2:14: ", "prog.cfg", "prog.pbcc")
    put("notes", "mine")
    refused("notes: the program cannot be written there: what is there is something else", "notes", "prog.pbcc", "-o", "notes")
    refused("notes/prog: the program cannot be written there: there is no such folder", "notes", "prog.pbcc", "-o", "notes/prog")
    check(sorted(os.listdir()) == ["bare", "notes", "prog.cfg", "prog.pbcc"], os.listdir())
    os.chdir("..")

def keeps():
    """Choices for another version of the program are kept, and used as far as they fit."""
    choices = '# mine\nprogram = "prog"\nhash = "of another version"\n[Product]\nsplit_size = 512\ngone = 3\n'
    quick = [PBC, "tune", "--kernels", "prog.pbcc", "--n=64", "--budget=60", "--trials=1", "--", "-DEXTRA=2"]
    with open("prog.cfg", "w") as f:
        f.write(choices)
    done = run(*quick)
    check(done.returncode == 0 and "made for another version of the program" in done.stderr, done.stdout + done.stderr)
    check(open("prog.cfg").read().startswith(choices), open("prog.cfg").read())
    # Settings that nothing can be compiled with, and nothing else: what is left would be an empty file.
    with open("prog.cfg", "w") as f:
        f.write("[kernels]\nProduct.gone.rows = 3\n")
    done = run(*quick)
    check(done.returncode == 0 and "gone" not in open("prog.cfg").read(), done.stdout + done.stderr)
    check("[kernels]" in open("prog.cfg").read(), "an empty configuration")
    done = run("./prog", "--n=77", "--hash")
    check(done.returncode == 0 and done.stderr == "", done.stderr)
    os.remove("prog.cfg")

def goes_on_without_journal():
    os.remove("prog.tune.sqlite")
    tuning = subprocess.Popen([PBC, "tune", "--kernels", "prog.pbcc", "--n=200", "--budget=60", "--trials=3", "--", "-DEXTRA=2"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(1000): # until something is noted
        time.sleep(0.1)
        try:
            with sqlite3.connect("file:prog.tune.sqlite?mode=rw", uri=True) as journal:
                if journal.execute("select count(*) from trials").fetchone()[0]:
                    journal.execute("drop table trials")
                    break
        except sqlite3.OperationalError:
            pass
    out, err = tuning.communicate(timeout=100)
    check(tuning.returncode == 0 and "from some moment on nothing was noted: " in err, out + err)
    check(hash_of("./prog") == hash_of("./plain"), "without a journal the program gives another result")

def stops():
    tuning = subprocess.Popen([PBC, "tune", "--kernels", "prog.pbcc", "-o", "early", "--n=700", "--json", "--",
                               "-DEXTRA=2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    tuning.send_signal(signal.SIGINT)
    out, err = tuning.communicate(timeout=60)
    check(tuning.returncode == (0 if os.path.exists("early") else 128 + signal.SIGINT), out + err)
    if out: # else it was stopped before the first measurement
        check(json.loads(out)["stopped"], out)
        check(hash_of("./early") == hash_of("./plain"), "the program that was stopped early gives another result")

def stops_at_once():
    os.makedirs("variants")
    tuning = subprocess.Popen([PBC, "tune", "--kernels", "prog.pbcc", "-o", "never", "--n=4000", "--", "-DEXTRA=2"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "TMPDIR": os.path.abspath("variants")})
    while not os.listdir("variants"):
        time.sleep(0.01)
    time.sleep(0.3) # compiling or in the first run, which takes seconds
    tuning.send_signal(signal.SIGINT)
    out, err = tuning.communicate(timeout=60)
    check(tuning.returncode == 128 + signal.SIGINT and "nothing was written" in err and out == "", out + err)
    check(not os.path.exists("never") and not os.path.exists("never.cfg") and not os.listdir("variants"), os.listdir())

with tempfile.TemporaryDirectory() as temporary:
    os.chdir(temporary)
    with open("prog.pbcc", "w") as source:
        source.write(PROGRAM)
    tunes(temporary)
    with open("powers.pbcc", "w") as source:
        source.write(POWERS)
    with open("turn.pbcc", "w") as source:
        source.write(TURN)
    guided()
    goes_on()
    warns()
    follows_scripts()
    lists()
    refuses()
    leaves()
    keeps()
    goes_on_without_journal()
    stops()
    stops_at_once()
    os.chdir("/")
print("tune --kernels: as expected")
