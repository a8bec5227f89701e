# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs as the oracle knows them: enough of the language for random programs, and their .pbcc text.

    Matrix("B", "to", ["n"])
    Rule(outputs=[Region("B", "cell", ["i"], "b")], inputs=[Region("A", "cell", ["i - 1"], "a")],
         results={"b": [Term("cell", "a", 2)]})
    =>  to(B.cell(i) b) from(A.cell(i - 1) a) { b = 2 * a; }

Coordinates and sizes are texts in the language's own notation: `evaluate` reads them with `/` as floor
division. A result is a sum of terms, so that a program can be shrunk by leaving terms out. All values are
integers in doubles that stay below 2^53: results are exact in whatever order they are computed.
"""
from dataclasses import dataclass, field
from functools import lru_cache
from zlib import crc32

MODULUS = 9973
DIRECTIONS = "xyz"

@lru_cache(maxsize=None)
def code(text):
    return compile(text.replace("/", "//"), text, "eval")

def evaluate(text, names):
    return eval(code(text), {"__builtins__": {}}, names)

@dataclass
class Matrix:
    name: str
    role: str  # from, to, through
    extents: list
    last: object = None  # a text: the matrix has versions 0 to this one, in the model one more dimension, the last

    def text(self):
        return self.name + (f"<{self.last}>" if self.last else "") + (f"[{', '.join(self.extents)}]" if self.extents else "")

@dataclass
class Region:
    matrix: str
    accessor: str  # cell, row, column, region, whole
    coordinates: list
    name: str
    version: object = None  # a text
    default: object = None  # cell of an input: its value outside of the matrix

    def text(self):
        return self.matrix + (f"<{self.version}>" if self.version else "") + ("" if self.accessor == "whole" else f".{self.accessor}({', '.join(self.coordinates)})")

    def box(self, extents, names):
        """[(begin, end)] per dimension; `extents` are numbers."""
        at = [evaluate(c, names) for c in self.coordinates]
        if self.version:
            version = evaluate(self.version, names)
            return self.places(at, extents[:-1]) + [(version, version + 1)]
        return self.places(at, extents)

    def places(self, at, extents):
        if self.accessor == "whole":
            return [(0, e) for e in extents]
        if self.accessor == "cell":
            return [(c, c + 1) for c in at]
        if self.accessor == "region":
            return list(zip(at[: len(extents)], at[len(extents):]))
        return [(0, extents[0]), (at[0], at[0] + 1)] if self.accessor == "row" else [(at[0], at[0] + 1), (0, extents[1])]

    def view_dimensions(self, rank):
        """The matrix's dimensions that the body's view has; None: a single cell."""
        if self.accessor == "cell" or rank == 0:
            return None
        return {"row": [0], "column": [1]}.get(self.accessor, list(range(rank)))

@dataclass
class Term:
    kind: str  # number, coordinate, cell, sum, element, dot
    text: str  # coordinate: its text; cell, sum, element: the input
    factor: int = 1
    index: list = field(default_factory=list)  # element: one text per view dimension; 0 where it is outside
    times: object = None  # a second input, a cell, as a factor; dot: the other view
    count: str = ""  # dot: how many products; `index` says which elements of the two views, by the number `s`

    def sum_name(self):
        return f"dot_{self.text}_{self.times}" if self.kind == "dot" else f"sum_{self.text}"

@dataclass
class Rule:
    outputs: list
    inputs: list
    results: dict = field(default_factory=dict)  # output's name -> terms; k0, k1, ... are indices of its view
    priority: int = 1
    where: list = field(default_factory=list)  # all hold: (left, operator, right), ["or", ...], ["not", one]
    returns: bool = False
    modulo: bool = True
    prefix: bool = False  # the 1-d view is then summed up in place
    calls: list = field(default_factory=list)  # [(transform, [outputs and inputs by name])] instead of results
    spawns: bool = False
    halves: int = 0  # if not 0, the body calls the transform for both halves of the last dimension from this extent on
    either: bool = False

    def variables(self, known):
        found = []
        for o in self.outputs:
            for c in o.coordinates + ([o.version] if o.version else []):
                for word in code(c).co_names:
                    if word not in known and word not in found:
                        found.append(word)
        return found

@dataclass
class Transform:
    name: str
    sizes: list
    matrices: list
    rules: list
    tunables: dict = field(default_factory=dict)  # name -> the value it is run with
    constants: dict = field(default_factory=dict)  # of a template, whose copies are transforms called NAME<value>

    def matrix(self, name):
        return next(m for m in self.matrices if m.name == name)

    def role(self, role):
        return [m for m in self.matrices if m.role == role]

# ---- as text

def term_text(t, ranks):
    if t.kind == "number":
        return str(t.factor)
    if t.kind == "coordinate":
        value = f"ElementT({t.text})"
    elif t.kind == "cell":
        value = t.text
    elif t.kind in ("sum", "dot"):
        value = t.sum_name()
    else:
        sides = ["width", "height", "depth"]
        inside = " && ".join(f"({i}) >= 0 && ({i}) < {t.text}.{sides[d]}()" for d, i in enumerate(t.index))
        value = f"({inside} ? {t.text}.cell({', '.join(t.index)}) : 0)"
    if t.times and t.kind != "dot":
        value += " * " + t.times
    return value if t.factor == 1 else f"{t.factor} * {value}"

def halves_text(t, rule):
    o, r = rule.outputs[0].name, rule.inputs[0].name
    extents = t.matrix(rule.outputs[0].matrix).extents
    before, sides = "0, " * (len(extents) - 1), [f"{o}.{s}()" for s in ["width", "height", "depth"][: len(extents)]]
    low, high = "0, " + before + ", ".join(sides[:-1] + ["half"]), before + "half, " + ", ".join(sides)
    spawn, sync = ("spawn ", " sync;") if rule.spawns else ("", "")
    own = t.name.split("<")[0] + "".join(f"<{name}>" for name in t.constants)
    return (f"if ({sides[-1]} >= {rule.halves}) {{ int half = {sides[-1]} / 2; "
            f"{spawn}{own}({o}.region({low}), {r}.region({low})); "
            f"{own}({o}.region({high}), {r}.region({high}));{sync} return; }} ")

def loop_text(variable, limit, body, spelling):
    """A loop in one of its spellings, which depends on the text of the body only, so that numbers of programs keep their meaning."""
    return [f"for (int {variable} = 0; {variable} < {limit}; ++{variable}) {body}",
            f"{{ int {variable}; for ({variable} = 0; {variable} < {limit}; {variable} += 1) {body} }}",
            f"{{ int {variable} = 0; while ({variable} < {limit}) {{ {body} ++{variable}; }} }}"][spelling % 3]

def body_text(rule, ranks):
    """`ranks`: of the views by name; None for cells."""
    if rule.calls:
        spawn = "spawn " if rule.spawns else ""
        return " ".join(f"{spawn}{callee}({', '.join(arguments)}); {'sync;' if spawn else ''}" for callee, arguments in rule.calls)
    out, sides = [], ["width", "height", "depth"]
    for name in dict.fromkeys(t.text for terms in rule.results.values() for t in terms if t.kind == "sum"):
        index = ", ".join(f"s{d}" for d in range(ranks[name]))
        loops = f"sum_{name} += {name}.cell({index});"
        for d in reversed(range(ranks[name])):
            loops = loop_text(f"s{d}", f"{name}.{sides[d]}()", loops, crc32(name.encode()) + d)
        out.append(f"ElementT sum_{name} = 0; {loops}")
    for t in {t.sum_name(): t for terms in rule.results.values() for t in terms if t.kind == "dot"}.values():
        spelling = crc32(t.sum_name().encode())
        product = f"{t.text}.cell({t.index[0]}) * {t.times}.cell({t.index[1]})"
        added = [f"{t.sum_name()} += {product};", f"{{ ElementT p = {product}; {t.sum_name()} += p; }}"][spelling // 3 % 2]
        out.append(f"ElementT {t.sum_name()} = 0; " + loop_text("s", t.count, added, spelling))
    for name, terms in rule.results.items():
        value = " + ".join(term_text(t, ranks) for t in terms) or "0"
        if rule.modulo:
            value = f"fmod({value}, {MODULUS})"
        if rule.returns:
            out.append(f"return {value};")
        elif ranks[name] is None:
            out.append(f"{name} = {value};")
        else:
            loops = "".join(f"for (int k{d} = 0; k{d} < {name}.{sides[d]}(); ++k{d}) " for d in reversed(range(ranks[name])))
            index = ", ".join(f"k{d}" for d in range(ranks[name]))
            out.append(f"{loops}{name}.cell({index}) = {value};")
            if rule.prefix:
                out.append(f"for (int k0 = 1; k0 < {name}.width(); ++k0) "
                           f"{name}.cell(k0) = fmod({name}.cell(k0) + {name}.cell(k0 - 1), {MODULUS});")
    return " ".join(out)

def condition_text(c):
    if isinstance(c, tuple):
        return " ".join(c)
    return "not (" + condition_text(c[1]) + ")" if c[0] == "not" else "(" + " or ".join(map(condition_text, c[1:])) + ")"

def rule_text(t, rule):
    ranks = {}
    for r in rule.outputs + rule.inputs:
        kept = r.view_dimensions(len(t.matrix(r.matrix).extents))
        ranks[r.name] = None if kept is None else len(kept)
    out = f"priority({rule.priority}) " if rule.priority != 1 else ""
    if rule.returns:
        out += rule.outputs[0].text()
    else:
        out += "to(" + ", ".join(f"{r.text()} {r.name}" for r in rule.outputs) + ")"
    out += " from(" + ", ".join(f"{r.text()} {r.name}" + (f" = {r.default}" if r.default else "") for r in rule.inputs) + ")"
    if rule.where:
        out += " where " + " and ".join(map(condition_text, rule.where))
    body = body_text(rule, ranks)
    if rule.halves:
        body = halves_text(t, rule) + body
    if rule.either:
        body = f"either {{ {body} }} or {{ {body} }}"
    return f"  {out} {{ {body} }}\n"

def transform_text(t):
    if any(value != 1 for value in t.constants.values()):
        return ""  # written by the first copy
    out = "".join(f"template <{name}(1, 2)>\n" for name in t.constants)
    out += f"transform {t.name.split('<')[0]}\n" + "".join(f"tunable {name}(3, 1, 9)\n" for name in t.tunables)
    for role in ("from", "to", "through"):
        if t.role(role):
            out += f"{role} {', '.join(m.text() for m in t.role(role))}\n"
    return out + "{\n" + "".join(rule_text(t, r) for r in t.rules) + "}\n"

def program_text(transforms):
    return "".join(transform_text(t) for t in transforms)
