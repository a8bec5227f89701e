#!/usr/bin/env python3
"""Compares the error index (docs/errors.md) with the compiler's sources, both ways.

  errors.py ROOT          every message of compiler/ has an entry, every entry a message; its examples show it
  errors.py ROOT list     prints the messages as the index must write them, with the places that give them

A message is what stands as the text in `error(place, text)` and `warning(place, text)`, in the helper functions
named below, and after "pbc: error: " in what is printed. What is put in at run time is written as an ellipsis:

  d.error(span, fmt::format("`{}` is not an element type", name))   =>   `…` is not an element type

Entries are the headings of the third level. `tests/error/NAME` in an entry is an example: NAME.txt must contain
the message.
"""
import os, re, sys

GAP = "…"

# Functions that give a message made of one of their arguments: which one, and the text around it.
HELPERS = {"unsupported": (-1, GAP + " not supported yet"), "fail": (1, GAP)}

QUOTED = r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\''

def plain(text):
    """Without comments, raw strings and the marks inside numbers; lines stay where they are."""
    text = re.sub(r'R"\((.*?)\)"', lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    text = re.sub(r"(?<=\d)'(?=\d)", "", text)
    pattern = QUOTED + r"|//[^\n]*|/\*.*?\*/"
    return re.sub(pattern, lambda m: m[0] if m[0][0] in "\"'" else "\n" * m[0].count("\n"), text, flags=re.S)

def arguments(text, at):
    """The expressions from `at` on that commas separate, up to the `)` or `;` that ends them."""
    out, depth, start = [], 0, at
    while at < len(text):
        if text[at] in "\"'":
            at = re.compile(QUOTED).match(text, at).end()
            continue
        c = text[at]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth < 0:
                break
        elif c == ";" and depth == 0:
            break
        elif c == "," and depth == 0:
            out.append(text[start:at].strip())
            start = at + 1
        at += 1
    return out + [text[start:at].strip()]

def split(text, separator):
    """Splits at `separator` outside of quotes and brackets; `?` and `:` of a conditional are no `::`."""
    parts, depth, start, at = [], 0, 0, 0
    while at < len(text):
        if text[at] in "\"'":
            at = re.compile(QUOTED).match(text, at).end()
            continue
        c = text[at]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif depth == 0 and text.startswith("::", at):
            at += 2
            continue
        elif depth == 0 and c == separator:
            parts.append(text[start:at])
            start = at + 1
        at += 1
    return parts + [text[start:]]

def unquoted(literals):
    text = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', literals))
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")

def texts(expression, before):
    """What the expression may be, as texts with gaps; `before` is the source in front of it, for variables."""
    expression = expression.strip()
    conditional = split(expression, "?")
    if len(conditional) > 1:
        arms = split(expression[len(conditional[0]) + 1 :], ":")
        return [t for arm in (arms[0], ":".join(arms[1:])) for t in texts(arm, before)]
    terms = split(expression, "+")
    if len(terms) > 1:
        out = [""]
        for term in terms:
            out = [left + right for left in out for right in texts(term, before)]
        return out
    if re.fullmatch(r'("(?:\\.|[^"\\])*"\s*)+', expression):
        return [unquoted(expression)]
    if call := re.match(r"(fmt::format|std::string|std::move)?\(", expression):
        inside = arguments(expression, call.end())
        if call[1] == "fmt::format" and inside[0].startswith('"'):
            return [re.sub(r"\{[^{}]*\}", GAP, unquoted(inside[0]))]
        if call[1] != "fmt::format" and len(inside) == 1:
            return texts(inside[0], before)
        return [GAP]
    if re.fullmatch(r"\w+", expression):
        declared = list(re.finditer(r"(?:std::string|auto|const char \*)\s*" + expression + r"\s*=\s*", before))
        if declared:
            end = declared[-1].end()
            return texts(arguments(before, end)[0], before[: declared[-1].start()])
    return [GAP]

def messages(root):
    """{ message: [places] }"""
    found = {}
    for folder, _, names in sorted(os.walk(os.path.join(root, "compiler"))):
        for name in sorted(names):
            if not name.endswith(".cpp"):
                continue
            path = os.path.join(folder, name)
            text = plain(open(path).read())
            for call, argument, around in calls(text):
                for message in texts(argument, text[:call]):
                    message = re.sub(f"{GAP}+", GAP, around.replace(GAP, message, 1)).split("\n")[0]
                    if re.search(r"[A-Za-z]", message.replace(GAP, "")):
                        place = f"{os.path.relpath(path, root)}:{text.count(chr(10), 0, call) + 1}"
                        found.setdefault(message, []).append(place)
    return found

def calls(text):
    for m in re.finditer(r"(?:\.|->|\b)(error|warning|" + "|".join(HELPERS) + r")\(", text):
        parts = arguments(text, m.end())
        if m[1] in HELPERS:
            index, around = HELPERS[m[1]]
            if len(parts) > 1 and not re.match(r"(const |source::|Span )", parts[0]):
                yield m.start(), parts[index], around
        elif len(parts) == 2:
            yield m.start(), parts[1], GAP
    for m in re.finditer(r'"pbc: (?:internal )?(?:error|warning): ', text):
        expression = re.sub(r"\s*<<\s*", " + ", arguments(text, m.start())[0])
        yield m.start(), re.sub(r'^"((?:\\.|[^"\\])*)"', formatted, expression), GAP

def formatted(literal):
    return re.sub(r"\{[^{}]*\}", GAP, literal[0])

class Entry:
    def __init__(self, heading):
        self.message = heading
        self.examples = []

def entries(path):
    found, number = [], 0
    for line in open(path):
        if line.startswith("### "):
            found.append(Entry(line[4:].strip()))
        elif found:
            found[-1].examples += re.findall(r"tests/error/(\w+)", line)
    return found

def main(root, mode):
    given = messages(root)
    if mode == "list":
        for message, places in given.items():
            print(f"{message}\n    {', '.join(places)}")
        return 0
    index = entries(os.path.join(root, "docs", "errors.md"))
    wrong = []
    for entry in index:
        if entry.message not in given:
            wrong.append(f"the compiler gives no such message: {entry.message}")
        pattern = GAP.join(re.escape(part) for part in entry.message.split(GAP)).replace(GAP, ".*")
        for example in entry.examples:
            path = os.path.join(root, "tests", "error", example + ".txt")
            if not os.path.exists(path):
                wrong.append(f"{entry.message}: there is no tests/error/{example}.txt")
            elif not re.search(rf"(error|warning): {pattern}$", open(path).read(), re.M):
                wrong.append(f"{entry.message}: tests/error/{example}.txt does not show it")
    known = [entry.message for entry in index]
    wrong += [f"two entries: {message}" for message in sorted(set(known)) if known.count(message) > 1]
    wrong += [f"no entry for ({places[0]}): {message}" for message, places in given.items() if message not in known]
    print("\n".join(wrong) or f"{len(index)} messages, all in docs/errors.md")
    return 1 if wrong else 0

if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else ""))
