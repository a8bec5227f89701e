#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the files that a public project has: public_files.py PBC ROOT

* LICENSE is, word by word, the Apache License 2.0 and LLVM's exceptions as in the system's packages.
* The version is written only once, as project(VERSION) in CMakeLists.txt: `pbc --version`, `./prog --info` and the
  newest entry of CHANGELOG.md have the same, and no source contains another one.
* THIRD-PARTY-NOTICES equals the output of scripts/third-party-notices.
* The templates and SECURITY.md exist and are not empty.
"""
import json, os, re, subprocess, sys, tempfile

EXCEPTIONS = "---- LLVM Exceptions to the Apache 2.0 License ----"


def text_of(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def licence(root):
    apache = text_of("/usr/share/common-licenses/Apache-2.0")
    debian = text_of("/usr/share/doc/llvm-19-dev/copyright")
    exceptions = debian[debian.index(EXCEPTIONS):]
    exceptions = exceptions[:exceptions.index("\n\n")]
    wanted = apache.split() + [word for word in exceptions.split() if word != "."]
    found = text_of(root, "LICENSE").split()
    assert len(wanted) > 1500, "the packages' texts are too short"
    for number, (a, b) in enumerate(zip(found, wanted)):
        assert a == b, f"LICENSE: word {number} is {a!r}, not {b!r}"
    assert len(found) == len(wanted), f"LICENSE has {len(found)} words, not {len(wanted)}"


def version(pbc, root):
    number = re.search(r"^project\(pbc VERSION ([0-9.]+)", text_of(root, "CMakeLists.txt"), flags=re.M)[1]
    said = subprocess.run([pbc, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    assert said == f"pbc {number}", said
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "a.pbcc")
        with open(source, "w", encoding="utf-8") as file:
            file.write("transform A from X[n] to Y[n] { Y.cell(i) from(X.cell(i) x) { return x; } }\n")
        subprocess.run([pbc, source, "-o", os.path.join(folder, "a")], check=True)
        info = subprocess.run([os.path.join(folder, "a"), "--info"], capture_output=True, text=True, check=True).stdout
    assert json.loads(info)["compiler"] == f"pbc {number}", json.loads(info)["compiler"]
    newest = re.search(r"^## \[([0-9.]+|Unreleased)\]", text_of(root, "CHANGELOG.md"), flags=re.M)[1]
    assert newest in (number, "Unreleased"), f"CHANGELOG.md begins with {newest}"
    looked_at = 0
    for part in ("compiler", "runtime", "tuner", "cmake"):
        for folder, _, files in os.walk(os.path.join(root, part)):
            for name in files:
                if name.endswith((".cpp", ".h", ".txt", ".cmake", ".in")):
                    looked_at += 1
                    code = re.sub(r"//[^\n]*", "", text_of(folder, name))
                    written = re.search(r'"pbc \d+\.\d+', code)
                    assert not written, f"{os.path.join(folder, name)} writes {written[0]!r}; pbc/version.h has the version"
    assert looked_at > 100, looked_at


def others(root):
    subprocess.run([os.path.join(root, "scripts/third-party-notices"), "--check"], check=True)
    templates = [os.path.join(root, ".github/ISSUE_TEMPLATE", n) for n in os.listdir(os.path.join(root, ".github/ISSUE_TEMPLATE"))]
    assert len(templates) >= 2, templates
    for path in [*templates, os.path.join(root, ".github/pull_request_template.md"), os.path.join(root, "SECURITY.md")]:
        assert path.endswith("config.yml") or len(text_of(path).split()) > 20, f"{path} is empty"


licence(sys.argv[2])
version(os.path.abspath(sys.argv[1]), sys.argv[2])
others(sys.argv[2])
