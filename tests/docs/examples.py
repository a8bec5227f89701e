#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples of a document, so that it cannot say what is no longer so.

  examples.py PBC DOCUMENT          every example
  examples.py PBC DOCUMENT NAME     one of them

What stands between fences is an example if the fence says so:
  ```pbcc NAME           a program with test lines, run as `tests/harness.py programs` does
  ```pbcc-file NAME      a file for the programs to include
  ```pbcc-error NAME     a program that does not compile; a ```text block with its messages follows
  ```text --emit=STAGE   after a program: what `pbc --emit=STAGE` prints for it
  ```text pbc ...        after a program: what this command prints, or these commands behind each other (`pbc ... | pbc ...`)
UPDATE=1 in the environment rewrites these kinds of ```text blocks (read the diff before you commit it).
"""
import difflib, os, re, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness

class Block:
    """One pair of fences: its words, its text, and between which lines of the document the text stands."""

    def __init__(self, words, first, lines):
        self.kind, self.name, self.words = words[0], words[1] if len(words) > 1 else "", words[1:]
        self.first, self.last = first, first + len(lines)
        self.text = "".join(lines)

def blocks(lines):
    found, start, words = [], None, []
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if start is None:
            start, words = number + 1, line[3:].split()
        else:
            found.append(Block(words or [""], start, lines[start:number]))
            start = None
    return found

class Document:
    def __init__(self, pbc, path):
        self.pbc, self.path = os.path.abspath(pbc), path
        self.lines = open(path).readlines()
        self.blocks = blocks(self.lines)
        self.new_texts = []

    def run(self, wanted):
        examples = [i for i, b in enumerate(self.blocks) if b.kind in ("pbcc", "pbcc-error")]
        names = [self.blocks[i].name for i in examples]
        if len(set(names)) != len(names) or "" in names:
            harness.fail(f"{self.path}: every example needs a name of its own")
        if not names:
            harness.fail(f"{self.path} has no example")
        if wanted and wanted not in names:
            harness.fail(f"{self.path} has no example `{wanted}`")
        for i in examples:
            if wanted in (None, self.blocks[i].name):
                self.example(i)
        for block, text in sorted(self.new_texts, key=lambda new: -new[0].first):
            self.lines[block.first : block.last] = [text]
        if self.new_texts:
            open(self.path, "w").writelines(self.lines)

    def example(self, index):
        block = self.blocks[index]
        with tempfile.TemporaryDirectory() as folder:
            for b in self.blocks:
                if b.kind == "pbcc-file":
                    open(os.path.join(folder, b.name), "w").write(b.text)
            source = os.path.join(folder, block.name + ".pbcc")
            open(source, "w").write(block.text)
            following = self.following(index)
            if block.kind == "pbcc":
                harness.programs(self.pbc, source)
                for text in following:
                    if text.name.startswith("--emit="):
                        done = harness.run([self.pbc, text.name, block.name + ".pbcc"], cwd=folder)
                        self.compare(text, done.stdout)
                    elif text.name == "pbc":
                        self.compare(text, self.printed(text.words, folder))
                return
            done = harness.run([self.pbc, block.name + ".pbcc"], cwd=folder)
            if done.returncode != 1:
                harness.fail(f"{self.path}:{block.first}: status {done.returncode}, expected 1\n{done.stderr}")
            if not following:
                harness.fail(f"{self.path}:{block.first}: its messages should follow in a ```text block")
            self.compare(following[0], done.stderr)
            print(f"{source}: does not compile, as it should")

    def printed(self, words, folder):
        """What the commands print, each of which reads what the one before it has printed."""
        given = ""
        while words:
            end = words.index("|") if "|" in words else len(words)
            done = harness.run([self.pbc] + words[1:end], cwd=folder, input=given)
            if done.returncode != 0:
                harness.fail(f"{self.path}: {' '.join(words[:end])}: status {done.returncode}\n{done.stderr}")
            given, words = done.stdout, words[end + 1:]
        return given

    def following(self, index):
        """The ```text blocks between this example and the next one."""
        found = []
        for b in self.blocks[index + 1 :]:
            if b.kind != "text":
                break
            found.append(b)
        return found

    def compare(self, block, text):
        if block.text == text:
            return
        if os.environ.get("UPDATE"):
            self.new_texts.append((block, text))
            return
        lines = difflib.unified_diff(block.text.splitlines(True), text.splitlines(True), "document", "found")
        harness.fail(f"{self.path}:{block.first} differs:\n" + "".join(lines))

if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        harness.fail(__doc__)
    Document(sys.argv[1], sys.argv[2]).run(sys.argv[3] if len(sys.argv) == 4 else None)
