# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Random programs, well formed by construction: every size variable is an extent of an input, values stay exact,
rules of one priority for one cell compute the same function by different routes.

What a matrix is computed by (`scheme`): cells at shifted, flipped, scaled or transposed places of other matrices;
recurrences in all directions; cases told apart by `where`; parities; whole rows and matrices; two matrices by one
rule; sums of products along rows and columns, over triangles too; calls, to itself too; versions. Cells that such a rule does not reach are left to a rule of a lower priority, or, rarely, to none; ends
may belong to a rule of a better one.
"""
import copy
import re
from interpret import Run
from model import Matrix, Region, Rule, Term, Transform

VARIABLES = {1: ["i"], 2: ["x", "y"], 3: ["x", "y", "z"]}

def substitute(rule, changes):
    """The rule with its variables replaced: {"i": "n - 1 - i"}."""
    def change(text):
        return re.sub(r"[A-Za-z_]\w*", lambda m: f"({changes[m[0]]})" if m[0] in changes else m[0], text)

    new = copy.deepcopy(rule)
    for r in new.outputs + new.inputs:
        r.coordinates = [changes.get(c, change(c)) for c in r.coordinates]
    for terms in new.results.values():
        for t in terms:
            t.text = change(t.text) if t.kind == "coordinate" else t.text
            t.index = [change(i) for i in t.index]
    def changed(condition):
        if isinstance(condition, tuple):
            return change(condition[0]), condition[1], change(condition[2])
        return [condition[0]] + [changed(c) for c in condition[1:]]

    new.where = [changed(c) for c in new.where]
    return new

class Generator:
    def __init__(self, random):
        self.random = random
        self.tunables = []

    def chance(self, probability):
        return self.random.random() < probability

    def program(self, prefix):
        transforms = self.copies(self.halving(f"{prefix}A") if self.chance(0.1) else self.base(f"{prefix}A"))
        if self.chance(0.4):
            transforms.append(self.caller(f"{prefix}B", self.random.choice(transforms)))
        if self.chance(0.3):
            transforms.append(self.base(f"{prefix}C"))
        return transforms

    # ---- transforms

    def copies(self, t):
        """The transform; or those of a template."""
        terms = [(rule, terms) for rule in t.rules for terms in rule.results.values()]
        if not terms or not self.chance(0.15):
            return [t]
        for _, own in terms:  # of all rules: they may be choices
            own.append(Term("coordinate", "Q", 2))
        made = []
        for value in (1, 2):
            made.append(copy.deepcopy(t))
            made[-1].name, made[-1].constants = f"{t.name}<{value}>", {"Q": value}
        return made

    def halving(self, name):
        """Each cell from its own, by cells and by recursion."""
        extents = self.random.choice([["n"], ["w", "h"]])
        a, b = Matrix("A", "from", extents), Matrix("B", "to", list(extents))
        variables = VARIABLES[len(extents)]
        factor, number = self.factor(), self.random.randrange(9)
        cell = Rule([Region("B", "cell", variables, "b")], [Region("A", "cell", list(variables), "a")], returns=False,
                    results={"b": [Term("cell", "a", factor), Term("number", "", number)]})
        index = [f"k{d}" for d in range(len(extents))]
        whole = Rule([Region("B", "whole", [], "b")], [Region("A", "whole", [], "a")], halves=self.random.choice([2, 3, 8]),
                     spawns=self.chance(0.6), either=self.chance(0.2),
                     results={"b": [Term("element", "a", factor, index), Term("number", "", number)]})
        rules = [cell, whole] if self.chance(0.6) else [whole]
        return Transform(name, list(extents), [a, b], rules)

    def products(self, name):
        """Sums of products, perhaps of cells of the same matrix that come before, in a part of the matrix."""
        self.tunables = []
        l, u, b = Matrix("L", "from", ["h", "h"]), Matrix("U", "from", ["w", "w"]), Matrix("A", "from", ["w", "h"])
        m = Matrix("B", "to", ["w", "h"])
        t = Transform(name, ["w", "h"], [l, u, b, m], [])
        if self.chance(0.4):
            m = Matrix("X", "through", ["w", "h"])
            t.matrices.append(m)
        rule = Rule([Region(m.name, "cell", ["x", "y"], "o")], [], modulo=False, returns=self.chance(0.6))
        terms = rule.results["o"] = []
        own = self.chance(0.4)
        for k in range(1 if own else self.random.choice([1, 1, 2])):
            terms.append(self.dot(rule, m, own, k))
        if self.chance(0.5):
            rule.inputs.append(Region("A", "cell", ["x", "y"], "c"))
            terms.append(Term("cell", "c", self.factor()))
        rule.where = self.random.choice([[], [], [("x", "<=", "y")], [("x", ">", "y")], [("x + y", "<", "h")], [("x", "<", "y"), ("x", ">", "2")],
                                         [("x", ">=", "y - 3"), ("x", "<=", "y + 20")], [("y", ">", "1")]])
        t.rules += [rule, self.simple(m, ["x", "y"], 3)]
        if m.role == "through":
            last = self.cells([t.matrix("B")], [b, m], ["x", "y"], False)
            t.rules += [last, self.simple(t.matrix("B"), ["x", "y"], 3)]
        t.matrices.sort(key=lambda m: ["from", "to", "through"].index(m.role))
        return t

    def dot(self, rule, m, own, k):
        """L's rows with columns of height h, or U's columns with rows of width w; of `m` only what comes before."""
        first, second, factor = f"l{k}", f"r{k}", self.random.choice([1, 1, -1, 2])
        side = self.random.choice(["above", "left"])
        at, along, size = ("y", "x", "h") if side == "above" else ("x", "y", "w")
        matrix = "L" if side == "above" else "U"
        rule.inputs.append(Region(matrix, self.random.choice(["row", "column"]), [at], first))
        if own:
            moved = self.random.choice([along, along, along, f"{along} + 1", f"{along} - 1"])
            box = [moved, "0", f"{moved} + 1", at] if side == "above" else ["0", moved, at, f"{moved} + 1"]
            rule.inputs.append(Region(m.name, "region", box, second))
            return Term("dot", first, factor, ["s", "0, s" if side == "above" else "s, 0"], second, at)
        rule.inputs.append(Region("A", "column" if side == "above" else "row", [along], second))
        return Term("dot", first, factor, ["s", "s"], second, self.random.choice([size, size, at, f"{at} + 1"]))

    def base(self, name):
        if self.chance(0.12):
            return self.products(name)
        rank = self.random.choice([1, 1, 1, 2, 2, 2, 2, 3])
        sizes = {1: ["n"], 2: self.random.choice([["w", "h"], ["w", "h"], ["n", "n"]]), 3: ["l", "m", "n"]}[rank]
        matrices = [Matrix("A", "from", list(sizes))]
        if self.chance(0.5):
            matrices.append(Matrix("E", "from", self.varied(sizes)))
        if self.chance(0.3):
            matrices.append(Matrix("K", "from", []))
        computed = []
        if self.chance(0.4):
            computed.append(Matrix("X", "through", self.varied(sizes) if self.chance(0.3) else list(sizes)))
        computed.append(Matrix("B", "to", self.varied(sizes) if self.chance(0.4) else list(sizes)))
        if self.chance(0.3):
            computed.append(Matrix("D", "to", self.random.choice([list(sizes), list(sizes), [], [sizes[-1]]])))
        t = Transform(name, list(dict.fromkeys(sizes)), matrices, [])
        if self.chance(0.2):
            t.tunables = {"T": self.random.randrange(1, 10)}
        self.tunables = list(t.tunables)
        if self.chance(0.25):
            self.versions(t, Matrix("V", "through", list(sizes), self.random.choice(["2", "3", "5", sizes[0] if rank == 1 else "4"])))
        while computed:
            group = [computed.pop(0)]
            if computed and computed[0].extents == group[0].extents and self.chance(0.5):
                group.append(computed.pop(0))
            self.compute(t, group)
        t.matrices.sort(key=lambda m: ["from", "to", "through"].index(m.role))
        return t

    def varied(self, sizes):
        kind = self.random.randrange(6)
        if kind == 0:
            return [f"{e} + 1" for e in sizes]
        if kind == 1:
            return [f"{e}/2" for e in sizes]
        if kind == 2:
            return list(reversed(sizes))
        if kind == 3:
            return sizes[:1]
        if kind == 4:
            return [f"{sizes[0]} + 2"] + sizes[1:]
        return list(sizes)

    def caller(self, name, callee):
        """The callee's function by a call, beside the callee's own rules; or by rows."""
        t = copy.deepcopy(callee)
        t.name, t.constants = name, {}
        for own in (own for rule in t.rules for terms in rule.results.values() for own in terms):
            if own.text == "Q":
                own.text = str(callee.constants["Q"])
        arguments = [m.name.lower() for m in callee.role("to") + callee.role("from")]
        call = Rule([Region(m.name, "whole", [], m.name.lower()) for m in callee.role("to")],
                    [Region(m.name, "whole", [], m.name.lower()) for m in callee.role("from")],
                    calls=[(callee.name, arguments)], spawns=self.chance(0.3))
        simple = len(callee.role("from")) == 1 and len(callee.role("to")) == 1
        a, b = callee.role("from")[0], callee.role("to")[0]
        if simple and a.extents == b.extents and self.chance(0.4):
            call.calls.append((callee.name, [b.name.lower()] * 2))  # in place
            t.rules = [call]
        elif simple and a.extents == b.extents == ["n"] and self.chance(0.6):
            t.sizes = ["n", "h"]
            t.matrices = [Matrix(a.name, "from", ["n", "h"]), Matrix(b.name, "to", ["n", "h"])]
            t.rules = [Rule([Region(b.name, "row", ["y"], "b")], [Region(a.name, "row", ["y"], "a")],
                            calls=[(callee.name, ["b", "a"])])]
        elif all(r.priority == 1 for r in t.rules):
            t.rules.insert(self.random.randrange(2) * len(t.rules), call)
        else:
            t.matrices = [m for m in t.matrices if m.role != "through"]
            t.rules = [call]
        return t

    # ---- what computes a matrix

    def versions(self, t, m):
        """The first from inputs, each other one from the one before, perhaps also from the second before or itself."""
        known = list(t.matrices)
        t.matrices.append(m)
        variables = VARIABLES[len(m.extents)]
        first = self.cells([m], known, variables, False)
        first.outputs[0].version = "0"
        whole = self.chance(0.25)
        rule = self.slice(m, known) if whole else self.cells([m], known, variables, False)
        rule.outputs[0].version, rule.modulo = "v", True
        for k in range(self.random.randrange(1, 3)):
            terms = rule.results["o0"]
            if whole:
                index = [f"k{d}{self.random.choice(['', ' - 1', ' + 1'])}" for d in range(len(variables))]
                rule.inputs.append(Region(m.name, "whole", [], f"p{k}"))
                terms.append(Term("element", f"p{k}", self.factor(), index))
            else:
                terms.append(self.read(rule, m, variables, f"p{k}"))
            rule.inputs[-1].version = self.random.choice(["v - 1", "v - 1", "v - 1", "v - 2"]) if k else "v - 1"
        if not whole and self.chance(0.25):
            rule.results["o0"].append(self.own(rule, m, variables, self.earlier(len(variables)), "p9"))
            rule.inputs[-1].version = "v"
        if any(r.matrix == m.name and r.default for r in rule.inputs):  # it reaches the first version, too
            if self.chance(0.5):
                first.priority = 0
            else:
                rule.where.append(("v", ">", "0"))
        t.rules += [first, rule]
        rest = self.simple(m, list(variables), 3)
        rest.outputs[0].version = "v"
        t.rules.append(rest)

    def slice(self, m, known):
        rule = self.whole([m], known)
        rule.prefix = False
        return rule

    def compute(self, t, group):
        known = list(t.matrices)
        t.matrices += group
        rank = len(group[0].extents)
        variables = VARIABLES.get(rank, [])
        full = True
        if rank == 0 or self.chance(0.12):
            t.rules.append(self.whole(group, known))
        else:
            scheme = self.random.choice(["cells", "cells", "cells", "recurrence", "recurrence", "cases", "rows", "blocks", "mutual"])
            suits = {"rows": rank == 2 and len(group) == 1, "blocks": rank < 3 and len(group) == 1, "mutual": len(group) == 2}
            if not suits.get(scheme, True):
                scheme = "cells"
            if scheme == "rows":
                full = self.rows(t, group[0], known)
            elif scheme == "blocks":
                t.rules.append(self.blocks(group[0], known, variables))
                full = False
            elif scheme == "mutual":
                self.mutual(t, group, known, variables)
                full = False
            elif scheme == "cases":
                self.cases(t, group, known, variables)
                full = False
            else:
                rule = self.cells(group, known, variables, scheme == "recurrence")
                full = not self.partial(t, rule)
                t.rules += self.routes(t, rule, full)
        for m in group:
            if rank and self.chance(0.2):
                t.rules.append(self.simple(m, self.edge(m, variables), 0))
                rule = t.rules[-1]
                free = rule.variables(t.sizes)
                if free and self.chance(0.5):
                    rule.results["o"].append(self.read(rule, self.random.choice(known + group), free, "r0"))
        if not full and self.chance(0.93):
            t.rules += [self.simple(m, list(variables), 3) for m in group]

    def simple(self, m, coordinates, priority):
        """Of the coordinates alone."""
        rule = Rule([Region(m.name, "cell", coordinates, "o")], [], priority=priority)
        rule.results = {"o": [Term("coordinate", c, self.factor()) for c in coordinates if c.isidentifier()] +
                        [Term("number", "", self.random.randrange(1, 20))]}
        rule.returns = self.chance(0.5)
        return rule

    def edge(self, m, variables):
        """Coordinates with some of them fixed."""
        fixed = self.random.sample(range(len(variables)), self.random.randrange(1, len(variables) + 1))
        return [self.random.choice(["0", "1", f"{m.extents[d]} - 1"]) if d in fixed else v
                for d, v in enumerate(variables)]

    def factor(self):
        return self.random.choice([1, 1, 2, 3, -1, -2])

    def cells(self, group, known, variables, recurrent):
        rule = Rule([Region(m.name, "cell", list(variables), f"o{k}") for k, m in enumerate(group)], [])
        terms = []
        for k in range(self.random.randrange(0 if recurrent else 1, 4)):
            terms.append(self.read(rule, self.random.choice(known), variables, f"r{k}"))
        if recurrent:
            earlier = self.earlier(len(variables))
            for k in range(self.random.randrange(1, 3)):
                terms.append(self.own(rule, self.random.choice(group), variables, earlier, f"p{k}"))
        if self.chance(0.3):
            terms.append(Term("coordinate", self.random.choice(variables), self.factor()))
        if self.tunables and self.chance(0.7):
            terms.append(Term("coordinate", self.tunables[0], self.factor()))
        if not terms:
            terms.append(Term("number", "", 7))
        for o in rule.outputs:
            rule.results[o.name] = [copy.copy(t) for t in terms]
        if len(group) > 1:
            rule.results["o1"].append(Term("number", "", 5))
        scalars = [r.name for r in rule.inputs if r.accessor == "cell"]
        if scalars and self.chance(0.2):
            rule.results["o0"][0].times = self.random.choice(scalars) if terms[0].kind != "number" else None
        rule.modulo = any(m.role != "from" for m in known) or recurrent or self.chance(0.5)
        rule.returns = len(group) == 1 and self.chance(0.6)
        return rule

    def place(self, m, d, variables, plain=0.6):
        """A coordinate in dimension d of m."""
        v = variables[d] if d < len(variables) and self.chance(0.9) else self.random.choice(variables)
        if self.chance(plain):
            return v
        kind = self.random.randrange(8)
        if kind < 4:
            return f"{v} {self.random.choice(['+', '-'])} {self.random.choice([1, 1, 2])}"
        return [f"{m.extents[d]} - 1 - {v}", f"2*{v}", f"{v}/2", "0"][kind - 4]

    def read(self, rule, m, variables, name):
        term = self.term(rule, m, variables, name)
        rule.inputs[-1].version = m.last
        return term

    def term(self, rule, m, variables, name):
        rank = len(m.extents)
        if rank == 0:
            rule.inputs.append(Region(m.name, "whole", [], name, m.last))
            return Term("cell", name, self.factor())
        kind = self.random.random()
        if kind < 0.65:
            rule.inputs.append(Region(m.name, "cell", [self.place(m, d, variables) for d in range(rank)], name))
            if self.chance(0.15):
                rule.inputs[-1].default = str(self.random.randrange(9))
            return Term("cell", name, self.factor())
        if kind < 0.75 and rank == 2:
            accessor, d = self.random.choice([("row", 1), ("column", 0)])
            rule.inputs.append(Region(m.name, accessor, [self.place(m, d, variables)], name))
            if self.chance(0.5):
                return Term("element", name, self.factor(), [self.random.choice(variables)])
            return Term("sum", name, self.factor())
        if kind < 0.9:
            at = [self.place(m, d, variables, 1) for d in range(rank)]
            low, high = self.random.choice([(0, 2), (-1, 2), (-1, 1), (0, 1)])
            begin = [f"{c} - 1" if low else c for c in at]
            end = [f"{c} + {high}" for c in at]
            if rank == 1 and self.chance(0.3):
                begin, end = [self.random.choice(["0", at[0]])], [m.extents[0]]
            rule.inputs.append(Region(m.name, "region", begin + end, name))
            return Term("sum", name, self.factor())
        rule.inputs.append(Region(m.name, "whole", [], name, m.last))
        if self.chance(0.3):
            return Term("sum", name)
        return Term("element", name, self.factor(), [self.place(m, d, variables, 0.3).replace("/2", "") for d in range(rank)])

    def earlier(self, rank):
        """Offsets that come before in some nesting of the loops, each in some direction."""
        order = self.random.sample(range(rank), rank)
        directions = [self.random.choice([-1, -1, 1]) for _ in range(rank)]

        def offset():
            lead = self.random.randrange(rank)
            found = [0] * rank
            for k, d in enumerate(order):
                if k == lead:
                    found[d] = directions[d] * self.random.choice([1, 1, 2])
                elif k > lead:
                    found[d] = self.random.choice([0, 0, -1, 1])
            return found
        return offset

    def own(self, rule, m, variables, earlier, name):
        offset = earlier()
        if len(variables) == 1 and self.chance(0.3):
            box = self.random.choice([["0", "i"], ["i - 2", "i"]] if offset[0] < 0 else
                                     [["i + 1", m.extents[0]], ["i + 1", "i + 3"]])
            rule.inputs.append(Region(m.name, "region", box, name))
            return Term("sum", name, self.factor())
        moved = [f"{v} {'+' if o > 0 else '-'} {abs(o)}" if o else v for v, o in zip(variables, offset)]
        if len(variables) == 2 and offset[1] != 0 and self.chance(0.2):
            # Rows that come before: only where the direction in y decides.
            if all(earlier()[1] * offset[1] > 0 for _ in range(20)):
                rule.inputs.append(Region(m.name, "row", [moved[1]], name))
                return Term("sum", name, self.factor())
        rule.inputs.append(Region(m.name, "cell", moved, name))
        return Term("cell", name, self.factor())

    def cases(self, t, group, known, variables):
        rules = [self.cells(group, known, variables, False) for _ in range(2)]
        a = self.random.choice(variables)
        others = [v for v in variables if v != a] + [f"{group[0].extents[0]}/2", "2", "1"]
        b = self.random.choice(others)
        rules[0].where = [(a, "<", b)]
        rules[1].where = [(a, ">=", b)]
        if self.chance(0.3):
            rules[0].where, rules[1].where = [(a, "=", b)], [(a, ">", b)]
        elif self.chance(0.3):
            rules[0].where.append((a, ">", "0"))
        elif self.chance(0.4):
            far = (a, self.random.choice([">", "=", ">="]), self.random.choice([f"{group[0].extents[0]} - 2", "4", f"{b} + 2"]))
            either = ["or", rules[0].where[0], far]
            rules[0].where = [either]
            rules[1].where = [["not", either]] if self.chance(0.5) else [rules[1].where[0], ["not", far]]
        elif self.chance(0.4):
            rules[0].where, rules[1].where = [(a, "=", b)], [(a, "!=", b)]
        if len(variables) == 1 and self.chance(0.4):
            rules = [substitute(unconditional(r), {"i": f"2*i + {k}" if k else "2*i"}) for k, r in enumerate(rules)]
        t.rules += rules[: self.random.choice([1, 2, 2])]

    def rows(self, t, m, known):
        """By rows or columns, each perhaps from the one before. Whether they reach every cell."""
        accessor, at, along = self.random.choice([("row", "y", 0), ("row", "y", 0), ("column", "x", 1)])
        rule = Rule([Region(m.name, accessor, [at], "o")], [])
        terms = []
        for k in range(self.random.randrange(1, 3)):
            source = self.random.choice(known)
            rank, name = len(source.extents), f"r{k}"
            if rank == 2 and source.extents == m.extents and self.chance(0.7):
                rule.inputs.append(Region(source.name, accessor, [at], name, source.last))
                terms.append(Term("element", name, self.factor(), [self.random.choice(["k0", "k0 - 1", "k0 + 1"])]))
            elif rank == 0:
                rule.inputs.append(Region(source.name, "whole", [], name, source.last))
                terms.append(Term("cell", name, self.factor()))
            else:
                rule.inputs.append(Region(source.name, "whole", [], name, source.last))
                terms.append(Term("element", name, self.factor(), [self.random.choice(["k0", at, "0"]) for _ in range(rank)]))
        recurrent = self.chance(0.4)
        if recurrent:
            rule.inputs.append(Region(m.name, accessor, [f"{at} {self.random.choice(['-', '-', '+'])} 1"], "p0"))
            terms.append(Term("element", "p0", self.factor(), [self.random.choice(["k0", "k0 - 1", "k0 + 1"])]))
        rule.results = {"o": terms}
        rule.prefix = self.chance(0.3)
        t.rules.append(rule)
        return not recurrent

    def blocks(self, m, known, variables):
        """Two cells at a time along the first dimension, one place in the others."""
        v = variables[0]
        begin, end = [f"2*{v}"] + variables[1:], [f"2*{v} + 2"] + [f"{w} + 1" for w in variables[1:]]
        rule = Rule([Region(m.name, "region", begin + end, "o")], [])
        terms = [Term("coordinate", "k0", 3), Term("number", "", 4)]
        for k in range(self.random.randrange(3)):
            terms.append(self.read(rule, self.random.choice(known), variables, f"r{k}"))
        rule.results = {"o": terms}
        return rule

    def mutual(self, t, group, known, variables):
        """Each from earlier cells of the other, the second also from the same cell of the first."""
        earlier = self.earlier(len(variables))
        for k, m in enumerate(group):
            rule = self.cells([m], known, variables, False)
            other = group[1 - k]
            terms = rule.results["o0"]
            terms.append(self.own(rule, other, variables, earlier, "p0"))
            if k and self.chance(0.5):
                rule.inputs.append(Region(other.name, "cell", list(variables), "p1"))
                terms.append(Term("cell", "p1", self.factor()))
            rule.modulo = True
            t.rules.append(rule)

    def whole(self, group, known):
        rule = Rule([Region(m.name, "whole", [], f"o{k}") for k, m in enumerate(group)], [])
        terms = []
        rank = len(group[0].extents)
        for k, source in enumerate(self.random.sample(known, min(len(known), 2))):
            name = f"r{k}"
            rule.inputs.append(Region(source.name, "whole", [], name, source.last))
            if not source.extents:
                terms.append(Term("cell", name, self.factor()))
            elif rank == 0 or self.chance(0.3):
                terms.append(Term("sum", name, self.factor()))
            else:
                index = [f"k{self.random.randrange(rank)}{self.random.choice(['', '', ' - 1', ' + 1'])}" for _ in source.extents]
                terms.append(Term("element", name, self.factor(), index))
        for o in rule.outputs:
            rule.results[o.name] = [copy.copy(t) for t in terms]
        rule.prefix = rank == 1 and self.chance(0.3)
        rule.returns = rank == 0 and len(group) == 1 and self.chance(0.5)
        return rule

    # ---- several ways to the same value

    def partial(self, t, rule):
        """Whether some cell may be out of the rule's reach: tried for sizes that are all large."""
        alone = Transform(t.name, t.sizes, t.matrices, [rule])
        run = Run([alone], alone, {s: 6 + k for k, s in enumerate(t.sizes)}, {})
        reached = run.instances[rule.outputs[0].matrix]
        total = 1
        for e in run.extents[rule.outputs[0].matrix]:
            total *= e
        small = Run([alone], alone, {s: 1 for s in t.sizes}, {})
        total_small = 1
        for e in small.extents[rule.outputs[0].matrix]:
            total_small *= e
        return len(reached) != total or len(small.instances[rule.outputs[0].matrix]) != total_small

    def routes(self, t, rule, full):
        rules = [rule]
        m = t.matrix(rule.outputs[0].matrix)
        variables = rule.outputs[0].coordinates
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            kind = self.random.choice(["flip", "shift", "swap", "style", "whole", "row"])
            d = self.random.randrange(len(variables))
            v = variables[d]
            if kind == "flip":
                rules.append(substitute(rule, {v: f"{m.extents[d]} - 1 - {v}"}))
            elif kind == "shift":
                rules.append(substitute(rule, {v: f"{v} + 1"}))
            elif kind == "swap" and len(variables) == 2:
                rules.append(substitute(rule, {"x": "y", "y": "x"}))
            elif kind == "style" and len(rule.outputs) == 1:
                rules.append(copy.deepcopy(rule))
                rules[-1].returns = not rule.returns
            elif kind in ("whole", "row") and full:
                other = self.in_bulk(t, rule, kind)
                if other:
                    rules.append(other)
        return rules

    def in_bulk(self, t, rule, kind):
        """The rule for a row or for everything at once, where each input is read at the same place."""
        m = t.matrix(rule.outputs[0].matrix)
        variables = rule.outputs[0].coordinates
        if kind == "row" and len(variables) != 2:
            return None
        new = copy.deepcopy(rule)
        new.returns = False
        kept = variables if kind == "whole" else variables[:1]
        inner = {v: f"k{k}" for k, v in enumerate(kept)}
        cells = {}
        for r in new.inputs:
            source = t.matrix(r.matrix)
            if r.accessor == "whole":
                continue
            if r.default or r.accessor != "cell" or r.coordinates != variables or source.extents != m.extents:
                return None
            cells[r.name] = list(inner.values())
            r.accessor, r.coordinates = (kind, [] if kind == "whole" else ["y"])
        for o in new.outputs:
            o.accessor, o.coordinates = (kind, [] if kind == "whole" else ["y"])
        for terms in new.results.values():
            for t_ in terms:
                if t_.times:
                    return None
                if t_.kind == "cell" and t_.text in cells:
                    t_.kind, t_.index = "element", cells[t_.text]
                else:
                    t_.index = [re.sub(r"\w+", lambda w: inner.get(w[0], w[0]), i) for i in t_.index]
                    if t_.kind == "coordinate":
                        t_.text = inner.get(t_.text, t_.text)
        return new

def unconditional(rule):
    new = copy.deepcopy(rule)
    new.where = []
    return new
