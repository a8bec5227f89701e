#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pbc's own command line: command_line.py PBC. What the original's options do, and what is left on the disk."""
import json, os, subprocess, sys, tempfile
import xml.dom.minidom

PBC = os.path.abspath(sys.argv[1])
PROGRAM = """
transform Twice from A[n] to B[n] tunable k(2, 1, 9) {
  rule plain B.cell(i) from(A.cell(i) a) { return 2 * a; }
  rule sum B.cell(i) from(A.cell(i) a) { return a + a; }
}
"""

def run(*arguments, status=0, **environment):
    done = subprocess.run([PBC, *arguments], capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stderr

def said(*arguments):
    return subprocess.run([PBC, *arguments], capture_output=True, text=True, check=True, env={**os.environ, "PB_KERNEL_CACHE": ""}).stdout

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("p.pbcc", "w") as f:
        f.write(PROGRAM)

    # --input, --output, --jobs, --main and --hardcode as in the original; the program is the only file made.
    run("--input=p.pbcc", "--output=out", "--jobs=2", "--main=Twice", "--libdir=/tmp")
    assert sorted(os.listdir()) == ["out", "p.pbcc"], os.listdir()
    result = subprocess.run(["./out", "-", "-"], input="SIZE 2\n1 2\n", capture_output=True, text=True)
    assert result.stdout == "SIZE 2\n   2    4 \n\n", result
    subprocess.run(["./out", "--config=c.cfg", "--reset"], check=True, capture_output=True)
    run("p.pbcc", "--output", "baked", "--hardcode=c.cfg")

    # Another program from the same text: its elements are floats.
    run("p.pbcc", "--output=floats", "--element=float")
    info = json.loads(subprocess.run(["./floats", "--info"], capture_output=True, text=True).stdout)
    assert {m["element"] for m in info["transforms"][0]["matrices"]} == {"float"}, info
    assert "half not in {double,float,int,long,byte}" in run("p.pbcc", "--element=half", status=1)

    # What is no file is not replaced.
    os.mkfifo("pipe")
    assert run("p.pbcc", "-o", "pipe", status=1).startswith("pbc: error: pipe is a device or a pipe"), "pipe"
    os.remove("pipe")

    # Who means a program of his own is told where programs are meant.
    assert run("explain", "./none", status=1).endswith("help: give the path of a .pbcc file; pbc explain takes that of a program, too\n")
    assert run("none.pbcc", status=1).endswith("help: give the path of a .pbcc file\n")

    # --outputinfo is XML that names choices and tunables.
    run("p.pbcc", "--outputinfo=out.info")
    info = xml.dom.minidom.parse("out.info")
    choice = info.getElementsByTagName("algchoice")[0]
    assert (choice.getAttribute("name"), choice.getAttribute("rules")) == ("Twice_0", "2")
    assert info.getElementsByTagName("tunable")[0].getAttribute("name") == "Twice_k"

    # --reassociate is `fast` for all rules: the sum is computed in parts, and the cached program is another one.
    with open("sum.pbcc", "w") as f:
        f.write("transform Sum from A[n] to S { to(S s) from(A a) { s = 0; for (int i = 0; i < n; ++i) s += a.cell(i); } }")
    exact = subprocess.run([PBC, "--emit=kernels", "sum.pbcc"], check=True, capture_output=True, text=True).stdout
    fast = subprocess.run([PBC, "--emit=kernels", "--reassociate", "sum.pbcc"], check=True, capture_output=True, text=True).stdout
    assert "may reassociate" not in exact and "may reassociate" in fast, fast
    with open("a.txt", "w") as f:
        f.write("SIZE 40\n1e16 " + " ".join(["1"] * 39))
    sums = []
    for options in ([], ["--reassociate"]):
        run("sum.pbcc", *options)
        sums.append(float(subprocess.run(["./sum", "a.txt", "-"], check=True, capture_output=True, text=True).stdout.split()[1]))
    assert sums[0] == 1e16, sums # each 1 is rounded away

    # --no-vector-math: loops call the functions of scalar code.
    with open("e.pbcc", "w") as f:
        f.write("transform E from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return exp(a); } }")
    for options, vectors in ([], True), (["--no-vector-math"], False):
        text = subprocess.run([PBC, "--emit=asm", "e.pbcc", *options], check=True, capture_output=True, text=True).stdout
        assert ("_ZGV" in text) == vectors, options

    # --cpu=multi: code for each level, picked at start; all with the same results (this program rounds nowhere).
    run("p.pbcc", "--output=multi", "--cpu=multi")
    run("p.pbcc", "--output=two", "--cpu=x86-64-v2,x86-64-v3")
    with open("a.txt", "w") as f:
        f.write("SIZE 9\n1 2 3 4 5 6 7 8 9\n")
    def version(program, asked):
        done = subprocess.run([program, "--info"], capture_output=True, text=True, env={**os.environ, "PBC_CPU": asked})
        return done.stderr or json.loads(done.stdout)["processor"]
    able = [l for l in ("x86-64-v2", "x86-64-v3", "x86-64-v4") if version("./multi", l) == l]
    assert version("./multi", "") == able[-1] and version("./two", "") == able[:2][-1], able
    assert version("./two", "x86-64-v4") == "two: error: PBC_CPU asks for x86-64-v4; the program has x86-64-v2, x86-64-v3\n"
    for level in able:
        result = subprocess.run(["./multi", "a.txt", "-"], env={**os.environ, "PBC_CPU": level}, check=True, capture_output=True, text=True)
        assert result.stdout.split() == "SIZE 9 2 4 6 8 10 12 14 16 18".split(), result

    # With several levels, too, the message names the transform whose `asm` is refused.
    with open("asm.pbcc", "w") as f:
        f.write("""transform Good from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }
transform Bad from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { asm("nonsense"); return a; } }
main transform Both from A[n] to B[n] { to(B b) from(A a) { Good(b, a); Bad(b, a); } }
""")
    for levels in ("x86-64-v2", "x86-64-v2,x86-64-v3"):
        message = run("asm.pbcc", f"--cpu={levels}", status=1)
        assert message.startswith("pbc: error: the assembler refuses an `asm` statement of `Bad`:\n"), message
    assert run("p.pbcc", "--cpu=z80", status=1).startswith("pbc: error: there is no processor `z80`\n")

    # What a raw block defines exists once, and each version has functions of its own.
    with open("raw.pbcc", "w") as f:
        f.write("""%{
#include <vector>
int calls = 0;
struct Shape { virtual double area() const { return 0; } virtual ~Shape() {} };
struct Square : Shape { double side; Square(double s) : side(s) {} double area() const override { ++calls; return side * side; } };
double total(const std::vector<double> &v) { double sum = 0; for (double x : v) sum += Square(x).area(); return sum; }
%}
transform Add from A[n] to S { to(S s) from(A a) { std::vector<double> v; for (int i = 0; i < n; ++i) v.push_back(a.cell(i)); s = total(v); } }
main transform Twice from A[n] to S[2], Calls {
  to(S s, Calls c) from(A a) { Add(s.cell(0), a); Add(s.cell(1), a); c = calls; } }
""")
    run("raw.pbcc", "--cpu=multi")
    for level in able:
        result = subprocess.run(["./raw", "a.txt", "-", "-"], env={**os.environ, "PBC_CPU": level}, check=True, capture_output=True, text=True)
        assert result.stdout.split() == "SIZE 2 285 285 SIZE 18".split(), result

    # --nolink leaves objects, --nocompile nothing unless a folder is named.
    run("p.pbcc", "--output=other", "--nolink")
    assert not os.path.exists("other") and "Twice.o" in os.listdir("other.obj")
    run("p.pbcc", "--output=third", "--nocompile", "--outputobj=text")
    assert not os.path.exists("third") and sorted(os.listdir("text")) == ["Twice.cpp", "program.cpp"]

    # A misspelt option or command is named with the one that is meant; a missing one does not hide it.
    def message(*arguments):
        return run(*arguments, status=1).splitlines()[0]
    assert run("tune", "./ok", "--budgt=3", status=1) == ("pbc tune: error: there is no option --budgt (did you mean '--budget'?)\n"
                                                          "help: pbc tune --help lists the options\n")
    assert message("tune", "--budgt=3") == "pbc tune: error: there is no option --budgt (did you mean '--budget'?)"
    assert message("tune", "--trails", "7", "./ok") == "pbc tune: error: there is no option --trails (did you mean '--trials'?)"
    assert message("tune") == "pbc tune: error: program is required"
    assert message("p.pbcc", "--foo") == "pbc: error: there is no option --foo"
    assert message("p.pbcc", "--bound-check") == "pbc: error: there is no option --bound-check (did you mean '--bounds-check'?)"
    assert message("--infox") .startswith("pbc: error: there is no option --infox"), message("--infox")
    assert message("p.pbcc", "-q") == "pbc: error: there is no option -q"
    assert message("p.pbcc", "more") == "pbc: error: 'more' is one word too many"
    assert message("tun", "./ok") == "pbc: error: there is no command or file 'tun' (did you mean 'tune'?)"
    assert message("expalin", "./ok") == "pbc: error: there is no command or file 'expalin' (did you mean 'explain'?)"
    assert message("explain", "p.pbcc", "--jsno") == "pbc explain: error: there is no option --jsno (did you mean '--json'?)"
    assert message("explain", "p.pbcc", "--device=h100") == \
        "pbc explain: error: --device: `h100` is no device: write sm_ and its number, as in sm_90, or a device of this machine, as in opencl:0"
    assert message("explain", "p.pbcc", "--device=opencl:x").startswith("pbc explain: error: --device: `opencl:x` is no device")
    assert message("explain", "p.pbcc", "--device=opencl:77").startswith(
        "pbc: error: the kernels cannot be built: there is no device 'opencl:77'; this machine has "), message("explain", "p.pbcc", "--device=opencl:77")
    assert message("explain", "p.pbcc", "--index=16").startswith("pbc explain: error: --index: "), message("explain", "p.pbcc", "--index=16")
    for bits in 32, 64:
        made = json.loads(said("explain", "--json", "--device=fake", f"--index={bits}", "p.pbcc"))
        assert made["device"] == "fake" and [k["index_bits"] for k in made["kernels"]] == [bits] * len(made["kernels"]), made
        assert made["kernels"] and all("error" not in k and "left_out" not in k for k in made["kernels"]), made
    assert all(line.endswith(": built") for line in said("explain", "--device=fake", "p.pbcc").splitlines())
    done = subprocess.run([PBC, "explain", "--device=sm_90", "--json", "p.pbcc"], capture_output=True, text=True)
    if "need its compiler NVRTC" not in done.stderr:
        kernels = json.loads(done.stdout)["kernels"]
        assert kernels and all(k["registers"] > 0 and k["spills"] == 0 for k in kernels), done.stdout
        assert "older device than it knows" in message("explain", "--device=sm_10", "p.pbcc")
    assert message("config", "chekc", "c.cfg") == "pbc config: error: there is no command 'chekc' (did you mean 'check'?)"
    assert message("config", "check", "--jsn", "c.cfg") == "pbc config check: error: there is no option --jsn (did you mean '--json'?)"
    assert message() == "pbc: error: no program is named"
    assert message("p.pbcc", "--input=p.pbcc") == "pbc: error: two programs are named"
    text = subprocess.run([PBC, "--help"], check=True, capture_output=True, text=True).stdout
    assert text.count("the program, FILE.pbcc") == 1 and "REQUIRED" not in text, text

    # A macro is one line, a folder of headers a folder.
    for wrong in ("X=a\nb", "X\n=1", "X=\r1", "X=\x1b[2J", "X=\x7f"):
        shown = message("p.pbcc", "-D", wrong)
        assert shown.endswith("has a line break or another control character, which no macro can hold"), shown
    run("p.pbcc", "-D", "X=a\tb", "-DY", "-DZ=")
    for folder in ("nowhere", "p.pbcc"):
        assert run("p.pbcc", "-I", folder) == f"pbc: warning: -I {folder} is no folder: no file is found in it\n"
    assert run("p.pbcc", "-I", ".") == ""

    # A program calls itself as it is called, whatever its source was called, also if it comes from the cache.
    run("p.pbcc")
    run("p.pbcc", "-o", "named")
    os.symlink("named", "linked")
    for name in ("p", "named", "linked"):
        shown = subprocess.run([f"./{name}", "a.txt"], capture_output=True, text=True).stderr
        assert shown.startswith(f"{name}: error: expected 2 arguments") and f"usage: {name} [options]" in shown, shown
        assert f"usage: {name} [options]" in subprocess.run([f"./{name}", "--help"], capture_output=True, text=True).stdout

    # What has no meaning any more is said once.
    message = run("p.pbcc", "--preproc=cpp", "--heuristics", "h.txt", "--runtimedir=x")
    assert message.count("warning:") == 3 and "--preproc has no effect any more" in message, message

    # Words for the linker, from the command line and the environment.
    run("p.pbcc", "--link-flags=-L/tmp -lm", LDFLAGS="-Wl,--no-undefined", LDLIBS="-lm")
    message = run("p.pbcc", "-lnosuchlibrary", "--output=never", status=1)
    assert "nosuchlibrary" in message and not os.path.exists("never"), message

print("command line: all as expected")
