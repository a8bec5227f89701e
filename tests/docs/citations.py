#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every citation in the repository leads to something that is in the repository.

  citations.py ROOT          names each citation that leads nowhere, with its file and line; fails if there is one,
                             and also if it found hardly any citation, for then it looked at the wrong files;
                             of the pages on architecture, also each file that they name in backquotes
  citations.py --self-test   tries the check on texts with right and wrong citations

A citation is one of these, also where a comment continues on the next line:

  cost-models.md sections 5, 6 and 6.4      a page, by its path or, below docs/, by its name alone, and its sections
  docs/hacking.md                           the same without sections
  language reference 2.3, 2.4               docs/references/language-reference.md
  petabricks-hetero 6.2                     docs/references/petabricks-hetero.md
  petabricks-hetero 10: 35, 37-42           requirements of that page
  requirements 78-82                        the same
  decision 18                               docs/decisions/0018-*.md
  runtime/config/origin.h                   any file with its path from the root
"""
import contextlib, io, os, re, sys

SKIPPED = {"build", ".git", "__pycache__"}
TEXTS = (".cpp", ".h", ".c", ".inc", ".py", ".md", ".txt", ".cmake", ".g4", ".pbcc", ".toml", ".sh")
NUMBER = r"\d+(?:\.\d+)*"
LIST = rf"{NUMBER}(?:(?:, and |, | and | to |-){NUMBER})*"
FEWEST = 500

page = re.compile(rf"(?<![\w./*-])((?:[\w-]+/)*[\w-]+\.md)\b(?:,? (sections? )?({LIST})(?! (?:words|bytes|columns)))?")
named = re.compile(rf"\b([Ll]anguage reference|petabricks-hetero),? (?:sections? )?({LIST})(?:: ({LIST}))?")
requirement = re.compile(rf"\b[Rr]equirements? ({LIST})")
decision = re.compile(rf"\b[Dd]ecisions? ({LIST})")
file_path = re.compile(r"(?<![\w./-])((?:compiler|runtime|tuner|tests|docs|bench|scripts|grammar|stdlib|samples)/[\w./-]+"
                       r"\.(?:h|cpp|py|pbcc|g4|txt|json|sh))\b")
# Files that docs/extending/transformation.md tells its readers to write.
TO_BE_WRITTEN = {"compiler/kernel/transform/scale.h", "compiler/kernel/transform/scale.cpp",
                 "tests/unit/kernel/transform/scale_test.cpp"}
PAGES = {"language reference": "language-reference.md", "petabricks-hetero": "petabricks-hetero.md"}


def numbers(text):
    """"1.2, 4 and 7-9" is 1.2, 4, 7, 8, 9; only the two ends if they are no whole numbers."""
    out = []
    for part in re.split(r", and |, | and ", text):
        ends = re.split(r" to |-", part)
        if len(ends) == 2 and all(e.isdigit() for e in ends):
            out += [str(n) for n in range(int(ends[0]), int(ends[1]) + 1)]
        else:
            out += ends
    return out


class References:
    """Everything that can be cited: pages with their sections, requirements and decisions."""

    def __init__(self, root):
        self.root, self.by_name, self.sections = root, {}, {}
        for folder, names, files in os.walk(root):
            names[:] = [n for n in names if n not in SKIPPED]
            for name in files:
                if name.endswith(".md"):
                    path = os.path.relpath(os.path.join(folder, name), root)
                    self.by_name.setdefault(name, []).append(path)
                    self.sections[path] = self.headings(os.path.join(folder, name))
        folder = os.path.join(root, "docs/decisions")
        self.decisions = {str(int(n[:4])) for n in os.listdir(folder) if n[:4].isdigit()} if os.path.isdir(folder) else set()
        self.requirements = set()
        for path in self.by_name.get("petabricks-hetero.md", []):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                tail = file.read().partition("\n## 10.")[2]
            self.requirements |= set(re.findall(r"^(\d+)\. ", tail, flags=re.M))

    @staticmethod
    def headings(path):
        with open(path, encoding="utf-8") as file:
            return set(re.findall(rf"^#+ ({NUMBER})\.? ", file.read(), flags=re.M))

    def find(self, name, citing):
        """The page's path in the repository, or None. A name without a folder may be any page of docs/, or the citing file's neighbour."""
        beside = os.path.normpath(os.path.join(os.path.dirname(citing), name))
        for path in (name, beside, os.path.join("docs", name)):
            if path in self.sections:
                return path
        paths = [p for p in self.by_name.get(os.path.basename(name), []) if p.startswith("docs/") and p.endswith("/" + name)]
        return paths[0] if len(paths) == 1 else None


def joined(text):
    """The text with a space for each line end and the comment mark after it; NUL bytes keep the positions of the lines."""
    return re.sub(r"\n[ \t]*(?:///?|#|\*|//!)?[ \t]*", lambda m: " " + "\0" * (len(m[0]) - 1), text)


def problems_of(text, citing, refs):
    """(line, what is wrong) for each citation of `text`, and how many citations it has."""
    flat = joined(text)
    places = [i for i, c in enumerate(flat) if c != "\0"]
    dense = flat.replace("\0", "")
    wrong, count = [], 0

    def say(match, what):
        wrong.append((text.count("\n", 0, places[match.start()]) + 1, what))

    for m in page.finditer(dense):
        count += 1
        path = refs.find(m[1], citing)
        if path is None:
            say(m, f"there is no page {m[1]}")
        elif m[3] and (m[2] or path.startswith("docs/references/")):
            for n in numbers(m[3]):
                if n not in refs.sections[path]:
                    say(m, f"{path} has no section {n}")
    for m in named.finditer(dense):
        count += 1
        name = PAGES[m[1].lower()]
        path = refs.find(name, "docs/references/x")
        if path is None:
            say(m, f"there is no page {name}")
            continue
        for n in numbers(m[2]):
            if n not in refs.sections[path]:
                say(m, f"{path} has no section {n}")
        for n in numbers(m[3]) if m[3] else []:
            if n not in refs.requirements:
                say(m, f"there is no requirement {n}")
    for m in file_path.finditer(dense):
        count += 1
        if m[1] in TO_BE_WRITTEN:
            continue
        if "/generated/" not in m[1] and not os.path.exists(os.path.join(refs.root, m[1])):
            say(m, f"there is no file {m[1]}")
    for pattern, known, kind in ((requirement, refs.requirements, "requirement"), (decision, refs.decisions, "decision")):
        for m in pattern.finditer(dense):
            count += 1
            for n in numbers(m[1]):
                if n not in known:
                    say(m, f"there is no {kind} {n}")
    return wrong, count


def files_that_are_not_there(text, root):
    """(line, what is wrong) for names of files and folders in backquotes.

    `kernel/fuse.cpp` may stand for compiler/kernel/fuse.cpp, and `fuse.cpp` for any file of that name.
    """
    wrong = []
    names_there = {n for folder in ("compiler", "runtime", "tuner", "tests", "scripts", "bench", "docs", "grammar")
                   for _, _, files in os.walk(os.path.join(root, folder)) for n in files}
    for number, line in enumerate(text.split("\n"), 1):
        for name in re.findall(r"`([\w./-]+(?:/|\.(?:h|cpp|py|md|g4|txt|cmake)))`", line):
            places = [os.path.join(root, p, name) for p in ("", "compiler", "runtime", "tuner", "docs", "tests", "tests/unit")]
            is_there = any(os.path.exists(p) for p in places) if "/" in name.rstrip("/") else name in names_there or name.endswith("/")
            if not is_there:
                wrong.append((number, f"there is no file {name}"))
    return wrong


def check(root):
    refs, count, bad = References(root), 0, 0
    for folder, names, files in os.walk(root):
        names[:] = [n for n in names if n not in SKIPPED]
        for name in files:
            path = os.path.join(folder, name)
            relative = os.path.relpath(path, root)
            if not (name.endswith(TEXTS) or relative.startswith(("scripts/", ".ci/"))) or os.path.islink(path):
                continue
            if relative == "tests/docs/citations.py":
                continue  # it has wrong citations as examples
            try:
                with open(path, encoding="utf-8") as file:
                    text = file.read()
            except UnicodeDecodeError:
                continue  # the input of a test
            wrong, found = problems_of(text, relative, refs)
            count += found
            if relative.startswith("docs/architecture"):
                wrong += files_that_are_not_there(text, root)
            for line, what in wrong:
                print(f"{relative}:{line}: {what}")
                bad += 1
    if count < FEWEST:
        print(f"found {count} citations below {root}: these are not the project's files")
        return 1
    print(f"{count} citations, {bad} lead nowhere")
    return 1 if bad else 0


def self_test():
    import tempfile
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "docs/references"))
        os.makedirs(os.path.join(root, "docs/decisions"))
        for path, text in {"docs/notes.md": "# N\n", "docs/references/cost-models.md": "# C\n## 1. A\n### 1.2 B\n", "docs/decisions/0007-x.md": "# 7. X\n",
                           "docs/references/language-reference.md": "## 2. S\n### 2.3 T\n",
                           "docs/references/petabricks-hetero.md": "## 6. R\n1. no\n## 10. T\n1. a\n2. b\n3. c\n"}.items():
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        refs = References(root)
        cases = [("// Source: cost-models.md 1.2.", []), ("// Source: cost-models.md\n// section 1.3; A.4", [(1, "docs/references/cost-models.md has no section 1.3")]),
                 ("# see docs/hacking.md", [(1, "there is no page docs/hacking.md")]), ("requirements 1 to 3", []),
                 ("a\n/// requirements 2-4", [(2, "there is no requirement 4")]), ("petabricks-hetero 10: 1, 5", [(1, "there is no requirement 5")]),
                 ("language reference 2.3, 2.4", [(1, "docs/references/language-reference.md has no section 2.4")]),
                 ("(decision 7)", []), ("(decisions 7 and 8)", [(1, "there is no decision 8")]), ("field.md D3", [(1, "there is no page field.md")]),
                 ("docs/notes.md section 10", [(1, "docs/notes.md has no section 10")]), ("docs/notes.md, 10 of them", []),
                 ("// (runtime/none.h)", [(1, "there is no file runtime/none.h")])]
        for text, expected in cases:
            got, _ = problems_of(text, "a/b.h", refs)
            if got != expected:
                print(f"{text!r}: {got}, not {expected}")
                return 1
        if files_that_are_not_there("see `docs/decisions/0007-x.md`, `0007-x.md` and\n`kernel/none.h`", root) != [(2, "there is no file kernel/none.h")]:
            print("files_that_are_not_there is wrong")
            return 1
        with contextlib.redirect_stdout(io.StringIO()):
            status = check(root)
        if status != 1:
            print("a folder without citations passed")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else check(sys.argv[1]))
