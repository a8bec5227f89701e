#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the error index (docs/errors.md) with the compiler's sources, both ways.

  errors.py ROOT          every message of compiler/ has an entry, every entry a message, and its examples show it
  errors.py ROOT list     prints the messages as the index must write them, with the places that give them

A message is the text in `error(place, text)` and `warning(place, text)`, and what follows "pbc: error: " in what is
printed. What is put in at run time is written as an ellipsis:

  d.error(span, fmt::format("`{}` is not an element type", name))   =>   `…` is not an element type

The texts are followed through conditionals, variables, and parameters that begin a message (helper functions).
Entries are the headings of the third level. `tests/error/NAME` in an entry is an example: NAME.txt must contain
the message.
"""
import os, re, sys

GAP = "…"
# Messages that are made elsewhere: Clang's own words, and structures that carry one (which field it is).
MADE_ELSEWHERE = {"readable(c.text)", "text", "why->message"}
STRUCTURES = {"NotText": 1}
QUOTED = r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\''
quoted = re.compile(QUOTED)

# ---- C++, as far as messages need it

def plain(text):
    """Without comments, raw strings and the marks inside numbers; lines stay where they are."""
    text = re.sub(r'R"\((.*?)\)"', lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    text = re.sub(r"(?<=\d)'(?=\d)", "", text)
    pattern = QUOTED + r"|//[^\n]*|/\*.*?\*/"
    return re.sub(pattern, lambda m: m[0] if m[0][0] in "\"'" else "\n" * m[0].count("\n"), text, flags=re.S)

def pieces(text, at, separators, stops=""):
    """Splits at separators outside of quotes and brackets (`::` is none), up to a stop or an unmatched bracket."""
    out, depth, start = [], 0, at
    while at < len(text):
        c = text[at]
        if c in "\"'":
            at = quoted.match(text, at).end()
            continue
        if depth == 0 and text.startswith("::", at):
            at += 2
            continue
        depth += (c in "([{") - (c in ")]}")
        if depth < 0 or (depth == 0 and c in stops):
            break
        if depth == 0 and c in separators:
            out.append(text[start:at])
            start = at + 1
        at += 1
    return out + [text[start:at]]

def arguments(text, at):
    """The expressions from `at` on that commas separate, up to the `)` or `;` that ends them."""
    return [part.strip() for part in pieces(text, at, ",", ";")]

def unquoted(literals):
    text = "".join(m[1:-1] for m in quoted.findall(literals))
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")

class Source:
    def __init__(self, path):
        self.path = path
        self.text = plain(open(path).read())

    def texts(self, expression, at, begins=True):
        """What the expression at `at` may be, as texts with gaps."""
        expression = expression.strip()
        conditional = pieces(expression, 0, "?")
        if len(conditional) > 1:
            arms = pieces(expression[len(conditional[0]) + 1 :], 0, ":")
            return [t for arm in (arms[0], ":".join(arms[1:])) for t in self.texts(arm, at, begins)]
        terms = pieces(expression, 0, "+")
        if len(terms) > 1:
            out = [""]
            for term in terms:
                out = [left + right for left in out for right in self.texts(term, at, begins and out == [""])]
            return out
        if re.fullmatch(r'("(?:\\.|[^"\\])*"\s*)+', expression):
            return [unquoted(expression)]
        if call := re.match(r"(fmt::format|std::string|std::move)?\(", expression):
            inside = arguments(expression, call.end())
            if call[1] == "fmt::format" and inside[0].startswith('"'):
                return [re.sub(r"\{[^{}]*\}", GAP, unquoted(inside[0]))]
            if call[1] != "fmt::format" and len(inside) == 1:
                return self.texts(inside[0], at, begins)
        if re.fullmatch(r"\w+", expression):
            return self.variable(expression, at) or (begins and self.parameter(expression, at)) or [GAP]
        return [GAP]

    def variable(self, name, at):
        declared = list(re.finditer(rf"(?:std::string|auto|const char \*)\s*{name}\s*=\s*", self.text[:at]))
        if not declared:
            return None
        end = declared[-1].end()
        more = GAP if re.search(rf"\b{name} \+=", self.text[end:at]) else ""
        return [t + more for t in self.texts(arguments(self.text, end)[0], declared[-1].start())]

    def parameter(self, name, at):
        """What the function's callers in this file give for its parameter."""
        definition = r"(\w+)(?:\s*=\s*\[[^\]]*\])?\(([^(){};]*[&*\s]" + name + r"\b[^(){};]*)\)[\s\w]*(?:->\s*\w+\s*)?\{"
        found = [m for m in re.finditer(definition, self.text[:at]) if m[1] not in ("if", "for", "while", "switch")]
        if not found:
            return None
        helper = found[-1]
        position = next(i for i, p in enumerate(helper[2].split(",")) if re.search(rf"\b{name}$", p.strip()))
        out = []
        for call in re.finditer(rf"\b{helper[1]}\(", self.text):
            given = arguments(self.text, call.end())
            if call.start() != helper.start() and len(given) > position:
                out += self.texts(given[position], call.start())
        return out

    def messages(self):
        """(message, place)"""
        for m in re.finditer(r"(?:\.|->)(error|warning)\(", self.text):
            given = arguments(self.text, m.end())
            if len(given) == 2 and given[1] not in MADE_ELSEWHERE:
                for text in self.texts(given[1], m.start()):
                    yield text, m.start()
        for m in re.finditer(r"\b(" + "|".join(STRUCTURES) + r")\{(?=.)", self.text):
            for text in self.texts(arguments(self.text, m.end())[STRUCTURES[m[1]]], m.start()):
                yield text, m.start()
        for m in re.finditer(r'"(pbc: (?:internal )?(?:error|warning): )', self.text):
            expression = re.sub(r"\s*<<\s*", " + ", arguments(self.text, m.start())[0])
            for text in self.texts(expression, m.start()):
                yield re.sub(r"\{[^{}]*\}|%\w", GAP, text), m.start()

def messages(root):
    """{ message: [places] }"""
    found = {}
    for folder, _, names in sorted(os.walk(os.path.join(root, "compiler"))):
        for name in sorted(names):
            if not name.endswith(".cpp"):
                continue
            source = Source(os.path.join(folder, name))
            for text, at in source.messages():
                text = re.sub(f"{GAP}+", GAP, text.split("\n")[0])
                place = f"{os.path.relpath(source.path, root)}:{source.text.count(chr(10), 0, at) + 1}"
                if place not in found.setdefault(text, []):
                    found[text].append(place)
    return found

# ---- the index

class Entry:
    def __init__(self, message):
        self.message = message
        self.examples = []

    def isShownBy(self, text):
        words = ".*".join(re.escape(part) for part in self.message.split(GAP))
        start = "" if self.message.startswith("pbc: ") else "(error|warning): "
        return re.search(f"{start}{words}$", text, re.M)

def entries(path):
    found = []
    for line in open(path):
        if line.startswith("### "):
            found.append(Entry(line[4:].strip()))
        elif found:
            found[-1].examples += re.findall(r"tests/error/(\w+)", line)
    return found

def compare(root):
    given = messages(root)
    if not given:
        print(f"there is no message in {root}/compiler")
        return 1
    unclear = [places for message, places in given.items() if not re.search("[A-Za-z]", message)]
    if unclear:
        print(f"this script cannot follow where the message comes from: {unclear}")
        return 1
    index = entries(os.path.join(root, "docs", "errors.md"))
    known = [entry.message for entry in index]
    wrong = [f"no entry for ({places[0]}): {message}" for message, places in given.items() if message not in known]
    wrong += [f"two entries: {message}" for message in sorted(set(known)) if known.count(message) > 1]
    for entry in index:
        if entry.message not in given:
            wrong.append(f"the compiler gives no such message: {entry.message}")
        for example in entry.examples:
            path = os.path.join(root, "tests", "error", example + ".txt")
            if not os.path.exists(path):
                wrong.append(f"{entry.message}: there is no tests/error/{example}.txt")
            elif not entry.isShownBy(open(path).read()):
                wrong.append(f"{entry.message}: tests/error/{example}.txt does not show it")
    print("\n".join(wrong) or f"{len(index)} messages, all in docs/errors.md")
    return 1 if wrong else 0

def main(root, mode):
    if mode != "list":
        return compare(root)
    for message, places in messages(root).items():
        print(f"{message}\n    {', '.join(places)}")
    return 0

if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else ""))
