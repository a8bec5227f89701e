#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests how libraries are asked for: names of files and functions, what is refused, the example of docs/embedding.md.

  command_line.py PBC DOCUMENT
"""
import os, re, subprocess, sys, tempfile

PBC, DOCUMENT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PROGRAM = """// Each cell and its right neighbour.
transform Smooth from A[n] to B[n] { B.cell(i) from(A.cell(i) a, A.cell(i + 1) b) { return (a + b) / 2; } secondary B.cell(i) from(A.cell(i) a) { return a; } }
transform MatMul from A[c, h], B[w, c] to AB[w, h] {
  AB.cell(x, y) from(A.row(y) a, B.column(x) b) { ElementT s = 0; for (int k = 0; k < c; ++k) s += a.cell(k) * b.cell(k); return s; }
}
/* A comment of C: * / must not end it. // */
transform create from int_[n] to B[n], S { to(B b, S s) from(int_ a) { s = n; for (int i = 0; i < n; ++i) b.cell(i) = a.cell(i); } }
"""

def run(*command, status=0):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr

def functions(header):
    with open(header, encoding="utf-8") as file:
        return re.findall(r"^int32_t (\w+)\(pbc_context", file.read(), re.M)

def names():
    assert run(PBC, "--shared", "mm.pbcc") == "" and sorted(os.listdir()) == ["libmm.so", "mm.h", "mm.hpp", "mm.pbcc"]
    assert functions("mm.h") == ["pbc_mm_Smooth", "pbc_mm_MatMul", "pbc_mm_create_"], functions("mm.h")
    run(PBC, "--static", "mm.pbcc")
    assert os.path.exists("libmm.a")
    os.mkdir("build")
    run(PBC, "--shared", "mm.pbcc", "-o", "build/libfast-2.so.1")
    assert functions("build/fast_2.h")[0] == "pbc_fast_2_Smooth"
    assert "Library soname: [libfast-2.so.1]" in run("readelf", "-d", "build/libfast-2.so.1")
    run(PBC, "--shared", "mm.pbcc", "-o", "plain", "--header", "build/other.h")
    assert functions("build/other.h")[0] == "pbc_plain_Smooth" and os.path.exists("build/other.hpp")
    with open("build/other.hpp", encoding="utf-8") as file:
        assert '#include "other.h"' in file.read()
    # A name that begins with a digit is none of C++.
    run(PBC, "--shared", "mm.pbcc", "-o", "build/lib2d.so")
    with open("digit.cpp", "w", encoding="utf-8") as file:
        file.write('#include "2d.hpp"\nint main() { pbc::_2d::Context mm; }\n')
    run("c++", "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Ibuild", "-c", "digit.cpp")
    # Headers that are included twice, and those of two libraries together.
    with open("both.c", "w", encoding="utf-8") as file:
        file.write('#include "mm.h"\n#include "fast_2.h"\n#include "mm.h"\nint main(void) { return 0; }\n')
    run("cc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I.", "-Ibuild", "-c", "both.c")
    with open("both.cpp", "w", encoding="utf-8") as file:
        file.write('#include "fast_2.hpp"\n#include "mm.hpp"\nint main() {}\n')
    run("c++", "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I.", "-Ibuild", "-c", "both.cpp")

def built_in():
    with open("good.cfg", "w", encoding="utf-8") as file:
        file.write("[MatMul]\nsplit_size = 555\n")
    with open("bad.cfg", "w", encoding="utf-8") as file:
        file.write("[MatMul]\nsplit_size = -1\n")
    for kind, library in (["--shared", "libcfg.so"], ["--static", "libcfg.a"]):
        said = run(PBC, kind, "mm.pbcc", "-o", library, "--config", "bad.cfg", status=1)
        assert "bad.cfg:2" in said and "does not fit the program" in said and not os.path.exists(library), said
        run(PBC, kind, "mm.pbcc", "-o", library, "--config", "good.cfg")
        assert os.path.exists(library)

def refusals():
    assert "--header is for libraries" in run(PBC, "mm.pbcc", "--header", "x.h", status=1)
    assert "--static" in run(PBC, "--shared", "--static", "mm.pbcc", status=1)
    assert "gives the library no name" in run(PBC, "--shared", "mm.pbcc", "-o", "build/.so", status=1)
    before = sorted(os.listdir("build"))
    with open("wrong.pbcc", "w", encoding="utf-8") as file:
        file.write("transform Wrong from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return b; } }\n")
    run(PBC, "--shared", "wrong.pbcc", "-o", "build/libwrong.so", status=1)
    assert sorted(os.listdir("build")) == before

def tuned():
    """The configuration that a program has beside it is the library's, too; one for devices is used as far as it goes."""
    with open("tuned.c", "w", encoding="utf-8") as file:
        file.write('''#include "mm.h"
#include <stdio.h>
static void say(void *user, const char *text) { (void)user, puts(text); }
int main(void) {
  pbc_context *c;
  pbc_options options = {0};
  options.say = say;
  if (pbc_mm_create(&options, &c)) puts(pbc_mm_message(c));
  else puts(pbc_mm_configuration(c));
  pbc_mm_destroy(c);
  return 0;
}
''')
    run("cc", "-Wall", "-Wextra", "-Werror", "-I.", "tuned.c", "-L.", "-lmm", "-Wl,-rpath,.", "-o", "tuned")
    for flags, first in ([[], 'program = "mm"'], [["--no-devices"], "./mm.cfg: warning: made for another version"]):
        run(PBC, *flags, "mm.pbcc", "-o", "mm")
        text = run("./mm", "--noconfig", "--print-config").replace("split_size = 16384", "split_size = 777")
        with open("mm.cfg", "w", encoding="utf-8") as file:
            file.write(text)
        found = run("./tuned")
        assert found.startswith(first) and "split_size = 777" in found and "--nowarnings" not in found, found
    os.remove("mm.cfg")

def earlier_version():
    """A program that was compiled with the header of another version is refused with a sentence, and that header beside ours by the compiler."""
    with open("mm.h", encoding="utf-8") as file:
        text = file.read()
    os.mkdir("earlier")
    for name, program in (("mm", text), ("other", text.replace("mm", "other"))):
        assert program.count("#define PBC_ABI_VERSION 1\n") == 1
        with open(f"earlier/{name}.h", "w", encoding="utf-8") as file:
            file.write(re.sub(r"(ABI_VERSION (?:!= )?)1\b", r"\g<1>0", program))
    os.rename("tuned.c", "earlier/tuned.c") # where the header is looked for first
    run("cc", "-Wall", "-Wextra", "-Werror", "earlier/tuned.c", "-L.", "-lmm", "-Wl,-rpath,.", "-o", "tuned")
    assert run("./tuned") == ("the caller was compiled for version 0 of the interface, and the library mm has version 1: "
                              "compile the caller with the header that came with the library\n")
    with open("mixed.c", "w", encoding="utf-8") as file:
        file.write('#include "mm.h"\n#include "earlier/other.h"\n')
    assert "cannot be included together" in run("cc", "-I.", "-c", "mixed.c", status=1)

def example():
    """The first program of the document prints the product's last cell."""
    with open(DOCUMENT, encoding="utf-8") as file:
        text = re.search(r"^```c\n(.*?)^```", file.read(), re.M | re.S)[1]
    with open("use.c", "w", encoding="utf-8") as file:
        file.write(text)
    run("cc", "-Wall", "-Wextra", "-Werror", "-I.", "use.c", "-L.", "-lmm", "-Wl,-rpath,.", "-o", "use")
    assert run("./use") == "64\n"

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("mm.pbcc", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    names()
    built_in()
    refusals()
    os.remove("libmm.a") # the linker would take either
    tuned()
    earlier_version()
    example()
