# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What a program means, cell by cell: which rule of the best priority reaches the cell, and what its body gives.

Demand driven with a memory; slow and obvious. It knows nothing of regions as sets, of schedules or of choices:
rules of one priority that reach the same cell must compute the same value, and the first one is taken
(language reference 2.3, 2.4). What a rule writes of a better rule's cells is lost; `in_order` also demands that it
is written before the better rule's value is.
"""
import itertools
import math
from model import MODULUS, evaluate

class Uncovered(Exception):
    """No rule reaches a cell."""

class Cycle(Exception):
    """A cell needs itself."""

class TooLarge(Exception):
    """A value is not exact in a double."""

OPERATORS = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
             ">=": lambda a, b: a >= b, "=": lambda a, b: a == b, "!=": lambda a, b: a != b}

def holds(condition, names):
    if isinstance(condition, tuple):
        return OPERATORS[condition[1]](evaluate(condition[0], names), evaluate(condition[2], names))
    return any(holds(c, names) for c in condition[1:]) != (condition[0] == "not")

def cells(box):
    return itertools.product(*[range(b, e) for b, e in box])

class Run:
    """One call of a transform. `inputs`: {name: {cell: value}}."""

    def __init__(self, program, transform, sizes, inputs, in_order=False):
        self.program, self.transform, self.in_order = program, transform, in_order
        self.sizes = {**sizes, **transform.tunables, **transform.constants}
        self.extents = {m.name: [evaluate(e, sizes) for e in m.extents] + ([evaluate(m.last, sizes) + 1] if m.last else [])
                        for m in transform.matrices}
        self.values = {m.name: dict(inputs.get(m.name, {})) for m in transform.matrices}
        self.views = {}
        self.computing, self.running, self.done = set(), set(), set()
        self.instances = {m.name: {} for m in transform.matrices}  # cell -> [(priority, number of rule, point)]
        for number, rule in enumerate(transform.rules):
            self.apply(number, rule)

    def apply(self, number, rule):
        """Finds all points at which the rule may run, by trying."""
        variables = rule.variables(self.sizes)
        for point in itertools.product(*[self.values_of(v, rule) for v in variables]):
            names = {**self.sizes, **dict(zip(variables, point))}
            if self.may_run(rule, names):
                for o in rule.outputs:
                    for cell in cells(o.box(self.extents[o.matrix], names)):
                        self.instances[o.matrix].setdefault(cell, []).append((rule.priority, number, names))

    def values_of(self, variable, rule):
        """All that may be worth a try."""
        for o in rule.outputs:
            extents = self.extents[o.matrix]
            if o.version == variable:
                return range(extents[-1])
            for at, extent in zip(o.coordinates, extents[1:] if o.accessor == "row" else extents):
                if at == variable and o.accessor != "region":
                    return range(extent)
        largest = max([0] + [e for extents in self.extents.values() for e in extents])
        return range(-4, largest + 4)

    def may_run(self, rule, names):
        return all(r.default or self.inside(r, names) for r in rule.outputs + rule.inputs) and all(holds(c, names) for c in rule.where)

    def inside(self, r, names):
        extents = self.extents[r.matrix]
        return all(0 <= b <= e <= size for (b, e), size in zip(r.box(extents, names), extents))

    def kept(self, r):
        return r.view_dimensions(len(self.transform.matrix(r.matrix).extents))

    def unreached(self):
        """A cell that is needed by callers or read by some rule, and that no rule reaches."""
        t = self.transform
        boxes = {(m.name, tuple((0, e) for e in self.extents[m.name])) for m in t.role("to")}
        instances = {(n, tuple(names.values())): names for found in self.instances.values()
                     for place in found.values() for _, n, names in place}
        for (number, _), names in instances.items():
            for r in t.rules[number].inputs:
                if t.matrix(r.matrix).role != "from" and self.inside(r, names):
                    boxes.add((r.matrix, tuple(r.box(self.extents[r.matrix], names))))
        needed = {(m, c) for m, box in boxes for c in cells(box)}
        return next(((m, c) for m, c in needed if c not in self.instances[m]), None)

    def matrix(self, name):
        """All cells of a matrix."""
        return {cell: self.cell(name, cell) for cell in cells([(0, e) for e in self.extents[name]])}

    def cell(self, matrix, cell):
        if cell not in self.values[matrix]:
            found = self.instances[matrix].get(cell)
            if not found:
                raise Uncovered(f"{matrix}{list(cell)}")
            if (matrix, cell) in self.computing:
                raise Cycle(f"{matrix}{list(cell)}")
            self.computing.add((matrix, cell))
            best = min(found, key=lambda f: f[:2])
            for _, number, names in sorted(found, key=lambda f: f[:2], reverse=True) if self.in_order else [best]:
                if (number, tuple(names.values())) == (best[1], tuple(best[2].values())) or self.has_results(number, names):
                    self.run(number, names)
        return self.values[matrix][cell]

    def wins(self, number, matrix, cell):
        """Whether the cell's value is this rule's."""
        return self.transform.rules[number].priority == min(f[0] for f in self.instances[matrix][cell])

    def has_results(self, number, names):
        return any(self.wins(number, o.matrix, c) for o in self.transform.rules[number].outputs
                   for c in cells(o.box(self.extents[o.matrix], names)))

    def run(self, number, names):
        rule, instance = self.transform.rules[number], (number, tuple(names.values()))
        if instance in self.done:
            return
        if instance in self.running:
            raise Cycle(f"rule {number} at {names}")
        self.running.add(instance)
        views = {}  # name -> (box, kept dimensions, {index in the view: value}); for a cell: its value
        for r in rule.inputs:
            if r.default and not self.inside(r, names):
                views[r.name] = evaluate(r.default, names)
                continue
            views[r.name] = self.view(r, names)
        results = self.call(rule, names, views) if rule.calls else self.compute(rule, names, views)
        for o in rule.outputs:
            box, kept = o.box(self.extents[o.matrix], names), self.kept(o)
            for c in cells(box):
                index = () if kept is None else tuple(c[d] - box[d][0] for d in kept)
                if self.wins(number, o.matrix, c):
                    self.values[o.matrix][c] = results[o.name][index]
        self.done.add(instance)

    def view(self, r, names):
        box, kept = r.box(self.extents[r.matrix], names), self.kept(r)
        if kept is None:
            return self.cell(r.matrix, next(cells(box)))
        key = r.matrix, r.accessor, tuple(box)
        if key not in self.views:
            found = {c: self.cell(r.matrix, c) for c in cells(box)}
            self.views[key] = {tuple(c[d] - box[d][0] for d in kept): v for c, v in found.items()}
        return self.views[key]

    def output_indices(self, o, names):
        box, kept = o.box(self.extents[o.matrix], names), self.kept(o) or []
        return list(cells([(0, box[d][1] - box[d][0]) for d in kept]))

    def compute(self, rule, names, views):
        results = {}
        for o in rule.outputs:
            result = {}
            for index in self.output_indices(o, names):
                at = {**names, **{f"k{d}": k for d, k in enumerate(index)}}
                value = sum(self.term(t, at, views) for t in rule.results[o.name])
                if abs(value) > 2 ** 53:
                    raise TooLarge(f"{value}")
                result[index] = math.fmod(value, MODULUS) if rule.modulo else float(value)
            if rule.prefix:
                for k in range(1, len(result)):
                    result[(k,)] = math.fmod(result[(k,)] + result[(k - 1,)], MODULUS)
            results[o.name] = result
        return results

    @staticmethod
    def term(t, names, views):
        if t.kind == "number":
            return t.factor
        if t.kind == "coordinate":
            value = evaluate(t.text, names)
        elif t.kind == "cell":
            value = views[t.text]
        elif t.kind == "sum":
            value = sum(views[t.text].values())
        elif t.kind == "dot":
            def element(view, index, s):
                return views[view][tuple(evaluate(i, {"s": s}) for i in index.split(", "))]
            return t.factor * sum(element(t.text, t.index[0], s) * element(t.times, t.index[1], s)
                                  for s in range(evaluate(t.count, names)))
        else:
            value = views[t.text].get(tuple(evaluate(i, names) for i in t.index), 0)
        return t.factor * value * (views[t.times] if t.times else 1)

    def call(self, rule, names, views):
        """Calls in turn; each sees what the ones before it wrote."""
        shapes = {}
        for r in rule.outputs + rule.inputs:
            box, kept = r.box(self.extents[r.matrix], names), self.kept(r)
            shapes[r.name] = [box[d][1] - box[d][0] for d in kept or []]
        now = {n: v if isinstance(v, dict) else {(): v} for n, v in views.items()}
        for callee, arguments in rule.calls:
            t = next(t for t in self.program if t.name == callee)
            order = t.role("to") + t.role("from")
            inputs = {m.name: now[a] for m, a in zip(order, arguments) if m.role == "from"}
            sizes = solve(t, {m.name: shapes[a] for m, a in zip(order, arguments)})
            run = Run(self.program, t, sizes, inputs)
            made = {a: run.matrix(m.name) for m, a in zip(order, arguments) if m.role == "to"}
            now.update(made)
        return {o.name: now[o.name] for o in rule.outputs}

def solve(t, shapes):
    """Every size variable is an extent of some input by itself: generated programs are made so."""
    sizes = {}
    for m in t.role("from"):
        for e, extent in zip(m.extents, shapes[m.name]):
            if e in t.sizes:
                sizes.setdefault(e, extent)
    return sizes

def interpret(program, transform, sizes, inputs):
    """The outputs, {name: {cell: value}}; raises Uncovered, also for what only unused cells would read, or Cycle."""
    run = Run(program, transform, sizes, inputs)
    missing = run.unreached()
    if missing:
        raise Uncovered(f"{missing[0]}{list(missing[1])}")
    return {m.name: run.matrix(m.name) for m in transform.role("to")}
