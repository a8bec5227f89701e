#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules from files, and those of libraries: schedules.py PBC

They are choices of the program like those in its own text; a library's schedule that does not apply is a note.
"""
import json, os, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])

PROGRAM = """#include <lib.pbcc>
transform Product main from A[k, h], B[w, k] to C[w, h] {
  rule Cells C.cell(x, y) from(A.row(y) a, B.column(x) b) {
    double s = 0;
    for (int i = 0; i < k; ++i)
      s += a.cell(i) * b.cell(i);
    return s;
  }
}
transform Both from A[n, n] to B[n, n], C[n, n] {
  to(B b, C c) from(A a) { Product(b, a, a); Twice(c, a); }
}
"""
LIBRARY = """transform Twice from A[w, h] to B[w, h] { rule rows B.cell(x, y) from(A.cell(x, y) a) { return 2 * a; } }
transform Unused from A[w, h] to B[w, h] { rule rows B.cell(x, y) from(A.cell(x, y) a) { return 2 * a; } }
"""
OF_LIBRARY = """schedule tiled for Twice.rows { tasks(); tile(y, x; 4, 4); vector(x); }
schedule odd for Twice.rows { tasks(); vector(z); }
schedule mine for Twice.rows { scalar(x); }
schedule tiled for Unused.rows { tasks(); }
"""
TILED = "schedule tiled for Product.Cells { tasks(y); (yt, xt, yi, xi) = tile(y, x; 2, 8); lanes(xi; 8); }\n"
PLAIN = "schedule plain for Product.Cells on cpu { scalar(x); };\nschedule mine for Twice.rows { tasks(y); scalar(x); }\n"


def check(condition, what):
    if not condition:
        print(what)
        sys.exit(1)


def run(*command, status=0):
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    check(done.returncode == status, f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def write(name, text):
    with open(name, "w") as file:
        file.write(text)


def placements():
    info = json.loads(run("./prog", "--info"))
    return {f"{t['name']}.{s['key']}": [a["name"] for a in s["alternatives"]]
            for t in info["transforms"] for s in t["sites"] if s["key"].startswith("place_")}


def files():
    files = ["--schedule=tiled.sched", "--schedule=plain.sched"]
    run(PBC, "prog.pbcc", "-o", "prog", "--main=Both", "--no-devices", *files)
    check(placements() == {"Product.place_Cells": ["cpu", "cpu:tiled", "cpu:plain"],
                           "Twice.place_rows": ["cpu", "cpu:mine", "cpu:tiled"]}, placements())
    said = run("./prog", "--check", "--n=50")
    check("place_Cells: cpu:plain agrees" in said and "all 6 alternatives compute the same" in said, said)
    write("choices.cfg", '[Product]\nplace_Cells = [ { below = 10, use = "cpu:plain" }, { use = "cpu:tiled" } ]\n')
    said = run(PBC, "config", "explain", "choices.cfg", "--for=./prog")
    check("cpu:plain" in said and "cpu:tiled" in said, said)
    same = {run("./prog", f"--n=70", "--hash", *words) for words in ([], ["--config=choices.cfg"])}
    check(len(same) == 1, same)
    write("wrong.cfg", '[Product]\nplace_Cells = "cpu:tilde"\n')
    said = run("./prog", "--n=7", "--config=wrong.cfg", status=1)
    check("place_Cells has no alternative 'cpu:tilde'" in said, said)
    # With what devices offer, in front of it.
    run(PBC, "prog.pbcc", "-o", "prog", *files)
    check(placements()["Product.place_Cells"][:4] == ["cpu", "cpu:tiled", "cpu:plain", "gpu"], placements())
    said = run(PBC, "explain", "prog.pbcc", *files)
    check("place_Cells = cpu:plain" in said and "place_Cells = cpu | cpu:tiled | cpu:plain | gpu" in said, said)


def library():
    """Its schedules come with its file; one that does not apply is left out, with a note."""
    run(PBC, "prog.pbcc", "-o", "prog", "--no-devices", "--main=Both")
    check(placements() == {"Twice.place_rows": ["cpu", "cpu:tiled", "cpu:mine"]}, placements())
    said = run(PBC, "explain", "prog.pbcc", "--no-devices")
    check("no schedule cpu:odd: `vector(z)`: no loop is called `z`" in said, said)
    check("place_rows = cpu:tiled" in said, said)
    write("alone.pbcc", PROGRAM.replace("#include <lib.pbcc>\n", LIBRARY))
    run(PBC, "alone.pbcc", "-o", "prog", "--no-devices", "--main=Both")
    check(placements() == {}, placements())


def empty_script():
    """It is a schedule without steps: the rule's own loops, as one task."""
    write("empty.cfg", '[kernels]\nProduct.Cells.script = ""\n')
    kernels = run(PBC, "--emit=kernels", "prog.pbcc", "--no-devices", "--config=empty.cfg").split("kernel ")
    (product,) = [k for k in kernels if k.startswith("Product.Cells")]
    plain = run(PBC, "--emit=lifted", "prog.pbcc", "--no-devices").split("kernel ")
    (lifted,) = [k for k in plain if k.startswith("Product.Cells")]
    check("task" not in product and product.split() == lifted.split(), product + lifted)
    said = run(PBC, "explain", "--kernels", "prog.pbcc", "--no-devices", "--config=empty.cfg")
    check("made by no steps" in said and "tasks: one" in said, said)


def cache():
    """A program is compiled again where a file of schedules has changed."""
    for text, wanted in ((TILED, "cpu:tiled"), (TILED.replace("tiled", "cut"), "cpu:cut"), (TILED, "cpu:tiled")):
        write("one.sched", text)
        run(PBC, "prog.pbcc", "-o", "prog", "--no-devices", "--main=Product", "--schedule=one.sched")
        check(placements()["Product.place_Cells"] == ["cpu", wanted], placements())


STRUCTURE = """transform Turned from A[h, k], B[w, k] to C[w, h] {
  structure A is transposed;
  rule Cells C.cell(x, y) from(A.column(y) a, B.column(x) b) {
    double s = 0;
    for (int i = 0; i < k; ++i)
      s += a.cell(i) * b.cell(i);
    return s;
  }
}
"""
TURNED = "adaptor Transpose(X): | layout(X; order = transposed);\n"


def structures():
    """Adaptors of structures come from the library and from --adaptors, which replaces them; each change makes another program."""
    write("turned.pbcc", STRUCTURE + PROGRAM.replace("#include <lib.pbcc>\n", "").split("transform Both")[0].replace(" main", ""))
    write("all.sched", "schedule gemm for *.Cells { tasks(y); (yt, xt, yi, xi) = tile(y, x; 2, 8); lanes(xi; 8); jam(yi; 2); }\n")

    def made(*words):
        run(PBC, "turned.pbcc", "-o", "prog", "--no-devices", "--schedule=all.sched", *words)
        found = placements()
        check(found["Product.place_Cells"] == ["cpu", "cpu:gemm"], found)
        check("compute the same" in run("./prog", "--check", "--n=33", "--transform=Turned"), "--check")
        return found["Turned.place_Cells"]

    # No schedule for all transforms may have a step that applies to none of them.
    said = run(PBC, "turned.pbcc", "--no-devices", "--schedule=all.sched", status=1)
    check("all.sched:1:" in said and "no way to compose the schedule `gemm` has its step `jam(yi; 2)`" in said, said)
    write("all.sched", "schedule gemm for *.Cells { tasks(y); (yt, xt, yi, xi) = tile(y, x; 2, 8); lanes(xi; 8); }\n")
    check(made() == ["cpu", "cpu:gemm"], made())
    said = run(PBC, "explain", "turned.pbcc", "--no-devices", "--schedule=all.sched")
    check("no schedule cpu:gemm+Transpose(A): there is no adaptor `Transpose` that takes a matrix alone" in said, said)
    os.makedirs("stdlib/adaptors")
    write("stdlib/adaptors/transpose.adl", TURNED)
    check(made() == ["cpu", "cpu:gemm", "cpu:gemm+Transpose(A).2"], made())
    write("own.adl", TURNED + "  | layout(X; pad = 2);\n")
    check(made("--adaptors=own.adl") == ["cpu", "cpu:gemm", "cpu:gemm+Transpose(A).2", "cpu:gemm+Transpose(A).3"], made("--adaptors=own.adl"))
    step = json.loads(run(PBC, "explain", "--json", "turned.pbcc", "--no-devices", "--schedule=all.sched"))["transforms"][0]["alternatives"][0]["steps"][0]
    turned = step["schedules"][1]
    check(turned["choice"] == "cpu:gemm+Transpose(A).2" and turned["provenance"] == "gemm + Transpose(A) rule 2"
          and turned["script"][:2] == ["tasks(y)", "layout(A; order = transposed)"] and turned["left_out"] == [], turned)
    # A condition that says nothing of this matrix is a reason, not an error.
    write("own.adl", "adaptor Transpose(X): | layout(X; order = transposed); {cond(blank(X).zero = true)}\n")
    check(made("--adaptors=own.adl") == ["cpu", "cpu:gemm"], made("--adaptors=own.adl"))
    said = run(PBC, "explain", "turned.pbcc", "--no-devices", "--schedule=all.sched", "--adaptors=own.adl")
    check("no schedule cpu:gemm+Transpose(A).2: `blank(A).zero` says nothing: the structure of `A` leaves no cells out" in said, said)


def complex_loops():
    """Whether loops are parallel took isl minutes here, while it was asked of all dependences for each loop anew."""
    write("square.pbcc", """transform Square from A[n, n] to C[n, n] {
  structure A is lower_triangular, unchecked;
  rule Cells C.cell(x, y) from(A.row(y) a, A.column(x) b) {
    double s = 0;
    for (int k = 0; k < n; ++k) s += a.cell(k) * b.cell(k);
    return s;
  }
  schedule s for Cells { compute_in_place(C); (yt, xt, kt, yi, xi, ki) = tile(y, x, k; 3, 5, 7); order(yi, ki, xi); vector(xi); }
}
""")
    environment = {k: v for k, v in os.environ.items() if k != "PBC_STDLIB"}  # with the adaptors of the library
    done = subprocess.run([PBC, "explain", "square.pbcc", "--no-devices"], capture_output=True, text=True, timeout=100, env=environment)
    check(done.returncode == 0 and "schedule cpu:s" in done.stdout, (done.returncode, done.stdout, done.stderr))


with tempfile.TemporaryDirectory() as folder:
    os.environ["PB_DEVICES"] = "none"
    os.environ["PBC_STDLIB"] = os.path.join(folder, "stdlib")
    os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
    os.chdir(folder)
    os.makedirs("stdlib/schedules")
    write(os.path.join("stdlib", "lib.pbcc"), LIBRARY)
    write("stdlib/schedules/lib.sched", OF_LIBRARY)
    write("prog.pbcc", PROGRAM)
    write("tiled.sched", TILED)
    write("plain.sched", PLAIN)
    files()
    library()
    empty_script()
    cache()
    structures()
    complex_loops()
    os.chdir("/")
print("schedules: as expected")
