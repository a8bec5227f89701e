#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that a check without anything to check fails, that no check overlooks a file that git does not know yet, and
that lint finds mistakes.

  nothing_fails.py ROOT PBC

The scripts run in a temporary repository with the files of the working tree, so that files can be added.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

NEW = os.path.join("tuner", "strategy", "unformatted.cpp")  # joined, because citations.py requires that named files exist


def run(folder, *words):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=250)


def expect(done, status, text):
    said = done.stdout + done.stderr
    if done.returncode != status or text not in said:
        sys.exit(f"{done.args}: status {done.returncode}, expected {status} with: {text}\n{said}")


def repository(root, folder):
    """A repository with all files of the working tree, committed."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=root,
                            capture_output=True, text=True)
    if listed.returncode != 0:
        sys.exit(77)  # skipped: the sources come from an archive, without a repository
    for path in filter(None, listed.stdout.split("\0")):
        source, target = os.path.join(root, path), os.path.join(folder, path)
        if os.path.exists(source):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(source, target)
    for words in (["init", "-q"], ["add", "-A"],
                  ["-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "-q", "-m", "all"]):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def lint(folder):
    expect(run(folder, "scripts/lint", "--list", "tuner/strategy/tune.cpp"), 0, "tuner/strategy/tune.cpp\n")
    expect(run(folder, "scripts/lint", "--list", "tests/unit/tuner/race_test.cpp", "tuner/strategy/tune.h"), 0,
           "tuner/strategy/tune.h\n")
    expect(run(folder, "scripts/lint", "--list", "nowhere.cpp"), 1, "there is no file nowhere.cpp")
    expect(run(folder, "scripts/lint", "--list", "bench/limits.cpp"), 1, "the build does not compile bench/limits.cpp")
    expect(run(folder, "scripts/lint", "--list", "--changed"), 1, "no C++ file differs")
    expect(run(folder, "scripts/lint", "--list", "--what"), 1, "usage")
    expect(run(folder, "scripts/lint", "--list", "--quick"), 0, "/unity_0_cxx.cxx\n")


def mistakes(folder):
    """scripts/lint reports each mistake of lint_seeds.inc, in a header and in a source, and nothing else."""
    with open(os.path.join(folder, "tests", "checks", "lint_seeds.inc")) as file:
        seeds = file.read()
    source = os.path.join(folder, "tuner", "strategy", "tune.cpp")
    expected, texts = set(), {"seeds.h": seeds.replace("SEEDS", "seedsOfHeader"),
                              "tune.cpp": '#include "seeds.h"\n' + seeds.replace("SEEDS", "seedsOfSource")}
    for name, text in texts.items():
        with open(os.path.join(folder, "tuner", "strategy", name), "w") as file:
            file.write(text)
        for number, line in enumerate(text.splitlines(), 1):
            check = re.search(r" // ((?:bugprone|misc|performance|readability)-[a-z-]+)$", line)
            if check:
                expected.add((name, number, check[1]))
    done = run(folder, "scripts/lint", source)
    reported = {(os.path.basename(path), int(number), check) for path, number, check in
                re.findall(r"^(\S+):(\d+):\d+: error: .* \[([a-z-]+),-warnings-as-errors\]$", done.stdout, re.M)}
    if done.returncode == 0 or reported != expected:
        sys.exit(f"scripts/lint: status {done.returncode}\nnot reported: {sorted(expected - reported)}\n"
                 f"not expected: {sorted(reported - expected)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    subprocess.run(["git", "checkout", "-q", source], cwd=folder, check=True)
    os.remove(os.path.join(folder, "tuner", "strategy", "seeds.h"))


def new_files(folder):
    with open(os.path.join(folder, NEW), "w") as file:
        file.write("int    twice( int x ){return 2*x;}\n")
    expect(run(folder, "scripts/format", "--check"), 1, NEW)
    expect(run(folder, "scripts/licence-lines", "--check"), 1, NEW)
    # The build does not compile the new file, so lint has nothing to do; with a new header it has.
    expect(run(folder, "scripts/lint", "--list", "--changed"), 1, f"the build does not compile {NEW}")
    header = NEW.replace(".cpp", ".h")
    with open(os.path.join(folder, header), "w") as file:
        file.write("#pragma once\n")
    expect(run(folder, "scripts/lint", "--list", "--changed"), 0, header)
    expect(run(folder, "scripts/format", "--check", "nowhere.cpp"), 1, "there is no file nowhere.cpp")


def tests(root, pbc, folder):
    harness = os.path.join(root, "tests", "harness.py")
    empty = os.path.join(folder, "empty.pbcc")
    with open(empty, "w") as file:
        file.write("transform T\nfrom A[n]\nto B[n]\n{\n  B.cell(i) from(A.cell(i) a) { return a; }\n}\n")
    for mode in ("programs", "golden", "kernels"):
        expect(run(folder, "python3", harness, mode, pbc, empty), 1, "has no")
        expect(run(folder, "python3", harness, mode, pbc), 1, "harness.py")
        if run(folder, "python3", harness, mode, pbc, "nowhere.pbcc").returncode == 0:
            sys.exit(f"harness.py {mode} succeeds without its file")
    document = os.path.join(folder, "document.txt")
    with open(document, "w") as file:
        file.write("# Words only\n")
    expect(run(folder, "python3", os.path.join(root, "tests/docs/examples.py"), pbc, document), 1, "has no example")
    os.makedirs(os.path.join(folder, "nothing", "compiler"))
    os.makedirs(os.path.join(folder, "nothing", "docs"))
    shutil.copy(document, os.path.join(folder, "nothing", "docs", "errors.md"))
    expect(run(folder, "python3", os.path.join(root, "tests/docs/errors.py"), os.path.join(folder, "nothing")), 1,
           "no message")
    oracle = os.path.join(root, "tests/property/oracle/oracle.py")
    expect(run(folder, "python3", oracle, pbc, "--count", "0"), 1, "no program")
    # ctest without a preset succeeds where its filter matches nothing; the presets make it fail.
    presets = os.path.join(root, "CMakePresets.json")
    with open(presets) as file:
        if file.read().count('"noTestsAction": "error"') < 1:
            sys.exit(f"{presets}: its test presets let filters that match nothing pass")


def main():
    root, pbc = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        os.makedirs(copy)
        tests(root, pbc, folder)
        repository(root, copy)
        lint(copy)
        mistakes(copy)
        new_files(copy)


main()
