#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the files that pbc and its programs read and write: files.py PBC.

A program is compiled again if a file that it was made from has changed. Files are written completely or not at all, and
so are all files of one run together. Input without an end, pipes without a writer and control characters in names give a
message.
"""
import os, re, resource, signal, subprocess, sys, tempfile, threading, time

PBC = os.path.abspath(sys.argv[1])
PROGRAM = "transform Twice from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return 2 * a; } }\n"
TWO = """transform Two from A[n] to B[n], C[n] {
  to(B b, C c) from(A a) { for (int i = 0; i < n; ++i) { b.cell(i) = a.cell(i); c.cell(i) = -a.cell(i); } } }
"""

def write(name, text):
    with open(name, "w") as f:
        f.write(text)

def run(*command, status=0, limit=None, **keywords):
    def prepare():
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    done = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape", timeout=60, preexec_fn=prepare, **keywords)
    assert done.returncode == status, (command, done.returncode, done.stdout[-500:], done.stderr[-2000:])
    return done

def pbc(*arguments, **keywords):
    return run(PBC, *arguments, **keywords).stderr

def read(name):
    with open(name, "rb") as f:
        return f.read()

def leftovers():
    return [name for name in os.listdir() if name.startswith(".")]

def library(name, value):
    write("lib.c", f"double number(void) {{ return {value}; }}\n")
    run("cc", "-shared", "-fPIC", "lib.c", "-o", name)

def archive(name, value):
    write("lib.c", f"double number(void) {{ return {value}; }}\n")
    run("cc", "-c", "lib.c", "-o", "lib.o")
    if os.path.exists(name):
        os.remove(name)
    run("ar", "rc", name, "lib.o")

def outputOf(program):
    return run(program, "a.txt", "-", env={**os.environ, "LD_LIBRARY_PATH": os.getcwd()}).stdout.split()[-1]

# ---- files that a program was made from

def test_a_changed_library_is_linked_again():
    write("uses.pbcc", """%{ extern "C" double number(void); %}
transform Uses from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return number(); } }
""")
    archive("libnumber.a", 1)
    pbc("uses.pbcc", "-L.", "-lnumber")
    assert outputOf("./uses") == "1"
    archive("libnumber.a", 2)
    pbc("uses.pbcc", "-L.", "-lnumber")
    assert outputOf("./uses") == "2"

def test_a_cached_program_is_linked_again_with_another_library():
    """Without a raw block, the cache has the whole program."""
    write("plain.pbcc", PROGRAM)
    archive("libextra.a", 1)
    pbc("plain.pbcc", "-L.", "-lextra")
    assert "look for" in pbc("plain.pbcc", "-L.", "-lextra", "--time-passes")
    assert "parse" not in pbc("plain.pbcc", "-L.", "-lextra", "--time-passes")
    archive("libextra.a", 2)
    assert "parse" in pbc("plain.pbcc", "-L.", "-lextra", "--time-passes")
    assert "parse" not in pbc("plain.pbcc", "-L.", "-lextra", "--time-passes")
    library("libextra.so", 3) # the linker finds it before the archive
    assert "parse" in pbc("plain.pbcc", "-L.", "-lextra", "--time-passes")

def test_a_file_that_the_assembler_reads():
    write("table.bin", "1")
    write("bin.pbcc", r"""%{
asm(".data\ntable_of_bin: .incbin \"table.bin\"\n.text");
extern "C" const char table_of_bin[];
%}
transform Bin from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return table_of_bin[0] - '0'; } }
""")
    for digit in "12":
        write("table.bin", digit)
        pbc("bin.pbcc")
        assert outputOf("./bin") == digit, digit

def test_a_changed_header():
    write("value.h", "#define VALUE 1\n")
    write("header.pbcc", '%{\n#include "value.h"\n%}\ntransform H from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return VALUE; } }\n')
    for digit in "12":
        write("value.h", f"#define VALUE {digit}\n")
        pbc("header.pbcc")
        assert outputOf("./header") == digit, digit

# ---- files are written completely or not at all

def test_a_full_disk():
    """A limit on the size of files simulates it; if this process may mount one, a disk of a megabyte is used as well."""
    write("full.pbcc", PROGRAM)
    for options in ([], ["--no-cache"]):
        write("full", "old")
        message = pbc("full.pbcc", *options, status=1, limit=100_000)
        assert message.startswith("pbc: error: ") and "File too large" in message, message
        assert read("full") == b"old" and not leftovers(), os.listdir()
    os.mkdir("disk")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", "disk"], capture_output=True).returncode == 0:
        try:
            write("disk/full", "old")
            message = pbc("full.pbcc", "-o", "disk/full", status=1)
            assert "No space left on device" in message, message
            assert os.listdir("disk") == ["full"] and read("disk/full") == b"old"
            write("big.txt", "SIZE 100000\n" + "1 " * 100000)
            message = run("./two", "big.txt", "disk/b.npy", "disk/c.npy", status=1).stderr
            assert message == "two: error: disk/c.npy: cannot be written: No space left on device\n", message
            assert os.listdir("disk") == ["full"]
        finally:
            run("umount", "disk")
    os.rmdir("disk")

def test_all_outputs_or_none():
    write("b.txt", "old")
    message = run("./two", "a.txt", "b.txt", "/dev/full", status=1).stderr
    assert message == "two: error: /dev/full: cannot be written: No space left on device\n", message
    assert read("b.txt") == b"old" and not leftovers()
    write("big.txt", "SIZE 1000\n" + "1 " * 1000)
    message = run("./two", "big.txt", "b.txt", "c.txt", status=1, limit=4000).stderr
    assert message == "two: error: b.txt: cannot be written: File too large\n", message
    assert read("b.txt") == b"old" and not os.path.exists("c.txt") and not leftovers()

    write("outputs.pbcc", PROGRAM)
    message = pbc("outputs.pbcc", "--outputinfo=none/there.xml", status=1)
    assert message.startswith("pbc: error: cannot write none/there.xml: "), message
    assert not os.path.exists("outputs") and not leftovers()
    pbc("outputs.pbcc", "--outputinfo=there.xml", "--outputobj=objects")
    assert os.path.exists("outputs") and os.path.exists("there.xml") and "Twice.o" in os.listdir("objects")
    assert not leftovers() and not [n for n in os.listdir("objects") if n.startswith(".")]

def test_interrupted_runs_leave_nothing():
    write("slow.pbcc", "%{\n#include <map>\n#include <regex>\n%}\n" + PROGRAM.replace("Twice", "Slow"))
    write("c.cfg", "")
    for wait in (0.05, 0.3, 0.6):
        for what in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([PBC, "slow.pbcc", "--no-cache", "--config=c.cfg"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(wait)
            process.send_signal(what)
            status = process.wait()
            assert status in (0, -what), (status, what)
            assert not leftovers() and (status == 0) >= os.path.exists("slow"), os.listdir()
            if os.path.exists("slow"):
                os.remove("slow")

def test_a_link_in_the_place_of_a_temporary_file():
    """The names of temporary files are unpredictable, and nothing is written through an existing link."""
    write("victim", "safe")
    write("linked.pbcc", PROGRAM)
    for name in (f"linked.{os.getpid()}.tmp", "b.txt.tmp1"):
        os.symlink("victim", name)
    pbc("linked.pbcc")
    run("./linked", "a.txt", "b.txt")
    assert read("victim") == b"safe"

# ---- input without an end

def test_what_has_no_end():
    write("source.pbcc", PROGRAM)
    os.mkfifo("pipe.pbcc")
    with open("huge.pbcc", "w") as f:
        f.truncate(1 << 40)
    pipe = "it is a pipe that no process writes to"
    long = "it is larger than 64 MiB"
    for name, why in (("/dev/zero", long), ("pipe.pbcc", pipe), ("huge.pbcc", long), (".", "it is a folder")):
        assert f"cannot read {name}: {why}" in pbc(name, "-o", "never", status=1), name
        message = pbc("source.pbcc", f"--config={name}", "-o", "never", status=1)
        assert f"cannot read the configuration {name}: {why}" in message, message
        write("including.pbcc", f'#include "{name}"\n' + PROGRAM)
        message = pbc("including.pbcc", status=1)
        assert f"cannot read the file `{name}`" in message, message
        write("raw.pbcc", f'%{{\n#include "{name}"\n%}}\n' + PROGRAM)
        message = pbc("raw.pbcc", status=1)
        assert "raw.pbcc:2" in message and name in message, message
    assert not os.path.exists("never")
    for arguments, message in ((["/dev/zero", "-"], "/dev/zero: a matrix in text begins with 'SIZE 3 2', its numbers follow; this one begins with '............'"),
                               (["pipe.pbcc", "-"], f"pipe.pbcc: cannot read the input: {pipe}"),
                               (["--config=/dev/zero", "a.txt", "-"], f"/dev/zero: cannot read the configuration: {long}"),
                               (["--config=pipe.pbcc", "a.txt", "-"], f"pipe.pbcc: cannot read the configuration: {pipe}"),
                               (["--config=huge.pbcc", "a.txt", "-"], f"huge.pbcc: cannot read the configuration: {long}")):
        assert run("./twice", *arguments, status=1).stderr == f"twice: error: {message}\n", arguments
    endless = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
    message = run("./twice", "-", "-", stdin=endless.stdout, status=1).stderr
    endless.kill()
    assert message == "twice: error: standard input: a matrix in text begins with 'SIZE 3 2', its numbers follow; this one begins with 'y'\n", message

def test_inputs_of_the_assembler_without_an_end():
    os.mkfifo("asm.pipe")
    write("asm.h", 'asm(".incbin \\"asm.pipe\\"");\n')
    write("inner.s", '.incbin "asm.pipe"\n')
    write("self.s", '.include "self.s"\n')
    with open("asm.huge", "w") as f:
        f.truncate(1 << 40)
    for line, name in (('asm(".incbin \\"asm.pipe\\"");', "asm.pipe"), ('asm(".INCBIN \\"asm.huge\\"");', "asm.huge"),
                       ('asm(".include \\"inner.s\\"");', "asm.pipe"), ('asm(".include \\"self.s\\"");', "self.s"),
                       ('namespace n { inline int f() { asm(".incbin \\"/dev/zero\\""); return 1; } }', "/dev/zero"),
                       ('asm(R"(.irp d, .incbin\n\\d "asm.pipe"\n.endr)");', "the file of `.incbin`"), ('#include "asm.h"', "asm.pipe")):
        write("assembly.pbcc", f"%{{\n{line}\n%}}\n" + PROGRAM)
        message = pbc("assembly.pbcc", "-o", "never", status=1)
        assert "the assembler cannot read " in message and name in message, (line, message)
        assert "assembly.pbcc:2" in message or "#include" in line, message
    assert not os.path.exists("never")

def test_inputs_of_the_linker_without_an_end():
    for name in ("libpipe.a", "words.pipe"):
        os.mkfifo(name)
    for name, text in (("script", "INPUT(words.pipe)"), ("libgroup.so", "GROUP ( -lpipe )"), ("words", "-L. -lpipe"),
                       ("devices", "@/dev/zero"), ("include", "INCLUDE words.pipe"), ("comment", "/* INPUT(words.pipe) */ INPUT(-lm)"), ("good", "-lm"), ("libgood.so", "GROUP ( AS_NEEDED ( libm.so.6 ) )")):
        write(name, text)
    os.mkdir("folder.o")
    with open("liblong.a", "w") as f:
        f.truncate(1 << 40)
    for arguments, name in (("-L. -lpipe", "./libpipe.a"), ("--link-flags=@/dev/zero", "/dev/zero"), ("--link-flags=@words.pipe", "words.pipe"),
                            ("--link-flags=folder.o", "folder.o"), ("--link-flags=/dev/zero", "/dev/zero"), ("--link-flags=script", "words.pipe, named by script,"),
                            ("-L. -lgroup", "./libpipe.a"), ("--link-flags=include", "words.pipe, named by include,"), ("--link-flags=@words", "./libpipe.a"), ("--link-flags=@devices", "/dev/zero"),
                            ("--link-flags=--version-script=words.pipe", "words.pipe"), ("--link-flags=-Twords.pipe", "words.pipe"), ("-L. -llong", "./liblong.a"),
                            ("-L. --link-flags=-l:words.pipe", "words.pipe")):
        message = pbc("source.pbcc", "-o", "never", *arguments.split(), status=1)
        assert "never could not be linked" in message and name in message, (arguments, message)
    assert not os.path.exists("never")
    for arguments in ("--link-flags=@good", "--link-flags=comment", "-L. -lgood", "--link-flags=-rpath --link-flags=folder.o", "--link-flags=-Map=/dev/null"):
        pbc("source.pbcc", "-o", "linked", *arguments.split())

def test_a_limit_on_the_size_of_files():
    write("limited.pbcc", PROGRAM)
    message = run(PBC, "--no-cache", "limited.pbcc", limit=10 << 10, status=1).stderr
    assert "Twice.o: File too large (the limit of `ulimit -f`)" in message, message

def test_standard_output_is_full():
    write("full.pbcc", PROGRAM)
    for stage in ("asm", "cpp", "ast"): # more and less than a buffer
        with open("/dev/full", "w") as full:
            done = subprocess.run([PBC, f"--emit={stage}", "full.pbcc"], stdout=full, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (1, "pbc: error: standard output cannot be written: No space left on device\n"), (stage, done)

def test_pipes_with_a_writer():
    threading.Thread(target=lambda: write("pipe.pbcc", PROGRAM.replace("Twice", "Piped"))).start()
    pbc("pipe.pbcc", "-o", "piped")
    threading.Thread(target=lambda: write("pipe.pbcc", "SIZE 2\n4 5\n")).start()
    assert run("./piped", "pipe.pbcc", "-").stdout.split() == ["SIZE", "2", "8", "10"]

def test_a_configuration_with_a_zero_byte():
    write("zero.cfg", "threads = 1\n\0")
    message = pbc("source.pbcc", "--config=zero.cfg", "-o", "never", status=1)
    assert message == "pbc: error: the configuration zero.cfg is not text: it has a byte that is 0\n", message
    assert run("./twice", "--config=zero.cfg", "a.txt", "-", status=1).stderr

def test_links_are_followed():
    os.mkdir("target")
    os.symlink("target/made", "dangling")
    os.symlink("dangling", "twice.link")
    os.symlink("nowhere/made", "astray")
    os.symlink("loop2", "loop1")
    os.symlink("loop1", "loop2")
    for link in ("dangling", "twice.link"):
        pbc("source.pbcc", "-o", link)
        assert os.path.islink(link) and os.path.isfile("target/made"), link
        os.remove("target/made")
        run("./twice", "a.txt", link)
        assert os.path.islink(link) and os.path.isfile("target/made"), link
        run("./twice", "a.txt", link) # the link leads to a file now
        assert os.path.islink(link) and os.listdir("target") == ["made"], link
        os.remove("target/made")
    for link, why in (("loop1", "Too many levels of symbolic links"), ("astray", "No such file or directory")):
        assert pbc("source.pbcc", "-o", link, status=1) == f"pbc: error: cannot write {link}: {why}\n", link
        message = run("./twice", "a.txt", link, status=1).stderr
        assert message.startswith(f"twice: error: {link}: cannot be written: ") and message.endswith(why + "\n"), message
        assert os.path.islink(link) and not os.path.exists("nowhere"), link
    assert not leftovers()

def test_an_output_pipe():
    os.mkfifo("out.pipe")
    begin = time.time()
    message = run("./twice", "a.txt", "out.pipe", status=1).stderr
    assert message == "twice: error: out.pipe: cannot be written: it is a pipe that no process reads\n", message
    assert 1.5 < time.time() - begin < 30, time.time() - begin
    found = []
    def late(): # within the patience
        time.sleep(0.3)
        found.append(read("out.pipe"))
    reader = threading.Thread(target=late)
    reader.start()
    run("./twice", "a.txt", "out.pipe")
    reader.join()
    assert found[0].split() == [b"SIZE", b"1", b"2"], found

# ---- printed messages

def test_control_characters_are_escaped():
    name = "a\x1b]0;title\x07\x9b.pbcc"
    write("bad" + name, "transform\x1b[31m")
    write("named.pbcc", f'#include "no{name}"\n' + PROGRAM)
    write("esc.cfg", '"\\u001b[2J" = 3\n')
    for done in (run(PBC, "none" + name, status=1), run(PBC, "bad" + name, status=1), run(PBC, "named.pbcc", status=1),
                 run(PBC, "--emit=\x1b[2J", "source.pbcc", status=1), run(PBC, "--nothing\x1b[2J", status=1),
                 run(PBC, "tune", "none" + name, status=1), run(PBC, "config", "check", "none" + name, status=1),
                 run(PBC, "model", "\x1b[2J", status=1), run(PBC, "report", "none" + name, status=1),
                 run(PBC, "source.pbcc", "-l\x1b[2J", status=1), run(PBC, "source.pbcc", "--config=esc.cfg", status=1),
                 run("./twice", "none" + name, "-", status=1), run("./twice", "--config=esc.cfg", "a.txt", "-", status=1),
                 run("./twice", "--none\x1b[2J", status=1)):
        assert done.stderr and not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udc9f]", done.stderr), (done.args, done.stderr)

def test_at_most_fifty_messages_of_a_file():
    write("many.pbcc", "".join(f"#wrong{i}\n" for i in range(300)) + PROGRAM)
    message = pbc("many.pbcc", status=1)
    assert message.count(": error: ") == 50, message.count(": error: ")
    assert re.search(r"^many.pbcc: \.\.\. and 250 more$", message, re.M), message[-300:]
    write("many.cfg", "".join(f"x{i} = 1\n" for i in range(300)))
    message = run("./twice", "--config=many.cfg", "a.txt", "-", status=1).stderr
    assert message.count("many.cfg:") == 50 and "... and 250 more" in message, message

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.environ["PBC_CACHE_DIR"] = os.path.join(folder, "cache")
    write("a.txt", "SIZE 1\n1\n")
    write("twice.pbcc", PROGRAM)
    write("two.pbcc", TWO)
    pbc("twice.pbcc")
    pbc("two.pbcc")
    wanted = sys.argv[2:]
    for name, test in list(globals().items()):
        if name.startswith("test_") and (not wanted or name[5:] in wanted):
            begin = time.time()
            test()
            print(f"{name[5:].replace('_', ' ')}: as expected ({time.time() - begin:.1f} s)", flush=True)
