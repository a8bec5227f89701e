#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs, compiled and run under every choice, against a direct interpreter of what they mean.

    oracle.py PBC [--count 200] [--seed 1] [--all-sizes] [--no-shrink]     random programs, numbers seed, seed + 1, ...
    oracle.py PBC --seed 123 --count 1 --show                              one of them, with its text

Each transform of a program runs with each of its alternatives, sequentially and with everything in tasks, at
several sizes. A program that pbc refuses must be one that has no meaning: a cell that no rule reaches, a cycle,
a rule that runs nowhere. What does not agree is shrunk and printed; the exit status is then 1.
"""
import argparse
import concurrent.futures
import copy
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from generate import Generator
from interpret import Cycle, Run, TooLarge, Uncovered, cells, interpret
from model import evaluate, program_text

SIZES = {1: [(0,), (1,), (2,), (3,), (5,), (9,), (75,)],
         2: [(0, 0), (1, 1), (2, 3), (3, 2), (5, 9), (9, 1), (1, 9), (0, 3), (9, 5), (37, 18)],
         3: [(0, 1, 2), (1, 1, 1), (2, 3, 2), (3, 2, 4), (4, 4, 4), (9, 5, 6)]}
BATCH = 8

class Finding(Exception):
    """The compiler and the interpreter do not agree."""

def execute(command, timeout):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired as e:
        raise Finding(f"no end after {timeout} s: {' '.join(command)}") from e

# ---- matrices

def write_matrix(path, extents, values):
    with open(path, "w") as f:
        f.write("SIZE" + "".join(f" {e}" for e in extents) + "\n")
        f.write(" ".join(str(values[tuple(reversed(c))]) for c in cells([(0, e) for e in reversed(extents)])) + "\n")

def read_npy(path):
    """{cell: value} of a .npy file of doubles; numpy's last axis is dimension 0."""
    import struct
    with open(path, "rb") as f:
        data = f.read()
    length = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + length].decode()
    shape = [int(x) for x in re.findall(r"\d+", re.search(r"'shape': \(([^)]*)\)", header)[1])]
    numbers = struct.unpack(f"<{(len(data) - 10 - length) // 8}d", data[10 + length:])
    return {tuple(reversed(c)): v for c, v in zip(cells([(0, e) for e in shape]), numbers)}

# ---- compiling

def compile_program(pbc, text, folder):
    """The executable; or nothing and the messages."""
    source, binary = os.path.join(folder, "oracle.pbcc"), os.path.join(folder, "oracle.bin")
    with open(source, "w") as f:
        f.write(text)
    made = execute([pbc, source, "-o", binary, "-O1", "--no-cache"], 300)
    if made.returncode == 0:
        return binary, made.stderr
    if made.returncode != 1 or "internal error" in made.stderr:
        raise Finding(f"pbc ends with status {made.returncode}\n{made.stderr[:2000]}")
    return None, made.stderr

def meaningless(program, messages):
    """Whether the refusal is right: the interpreter cannot evaluate the program either."""
    for t in program:
        tried = [range(7, 10), range(10, 13)]
        if "same cell" in messages or "form a cycle" in messages:
            tried += itertools.product(range(9 if len(t.sizes) < 3 else 5), repeat=len(t.sizes))
        for sizes in tried:
            names = dict(zip(t.sizes, sizes))
            try:
                run = Run(program, t, names, inputs_of(t, names, random.Random(1)), in_order=True)
                if "can never run" in messages:
                    reached = {n for found in run.instances.values() for place in found.values() for _, n, _ in place}
                    if len(reached) != len(t.rules):
                        return True
                if "no rule computes" in messages and run.unreached():
                    return True
                if "same cell" in messages or "form a cycle" in messages:
                    for m in t.role("through") + t.role("to"):
                        run.matrix(m.name)
                for m in t.role("to"):
                    run.matrix(m.name)
            except (Uncovered, Cycle):
                return True
    return False

# ---- running

def inputs_of(t, sizes, rng):
    made = {}
    for m in t.role("from"):
        box = [(0, evaluate(e, sizes)) for e in m.extents]
        made[m.name] = {c: rng.randrange(-50, 51) for c in cells(box)}
    return made

def sites(transform):
    """What is chosen: rules, and with PB_DEVICES=fake (or another device) also where steps run."""
    devices = os.environ.get("PB_DEVICES", "none") != "none"
    return [s for s in transform["sites"] if devices or not s.get("device")]

def configurations(info, program, name, rng):
    """(text, threads, what): each alternative of the transform, in turn and in tasks; callees choose at random."""
    own = next(t for t in info["transforms"] if t["name"] == name)
    tunables = {t.name: "".join(f"{n} = {v}\n" for n, v in t.tunables.items()) for t in program}
    for k in range(max([1] + [len(s["alternatives"]) for s in sites(own)])):
        for tasks in (False, True):
            text, chosen = "", ""
            for t in info["transforms"]:
                text += f'["{t["name"]}"]\n' + tunables.get(t["name"], "") + ("sequential_cutoff = 0\nsplit_size = 2\n" if tasks else "")
                if any(x["name"] == "tile_bytes" for x in t["tunables"]):
                    text += f"tile_bytes = {rng.choice((0, 32, 100, 400))}\n"
                if any(x["name"] == "turn_bytes" for x in t["tunables"]):
                    text += f"turn_bytes = {rng.choice((0, 8, 100, 400))}\n"
                for s in sites(t):
                    alternatives = s["alternatives"]
                    use = alternatives[k % len(alternatives) if t is own else rng.randrange(len(alternatives))]["name"]
                    text += f'"{s["key"]}" = "{use}"\n'
                    chosen += f" {t['name']} = {use}"
            yield text, rng.choice([1, 3]) if tasks else 2, chosen + (" in tasks" if tasks else "")

def check_run(binary, t, sizes, inputs, expected, config, threads, folder):
    arguments = []
    for m in t.role("from"):
        arguments.append(os.path.join(folder, f"{m.name}.txt"))
    outputs = [os.path.join(folder, f"{m.name}.out.npy") for m in t.role("to")]
    done = execute([binary, f"--config={config}", f"--threads={threads}", f"--transform={t.name}"] + arguments + outputs, 60)
    if isinstance(expected, Exception):
        if done.returncode != 1 or "no rule of" not in done.stderr:
            raise Finding(f"status {done.returncode}, but {expected} has no rule\n{done.stderr[:500]}")
        return
    if done.returncode != 0:
        raise Finding(f"status {done.returncode}\n{done.stderr[:500]}")
    for m, path in zip(t.role("to"), outputs):
        got = read_npy(path)
        wrong = [(c, v, got.get(c)) for c, v in expected[m.name].items() if got.get(c) != v]
        if wrong or len(got) != len(expected[m.name]):
            cell, want, found = wrong[0] if wrong else (None, len(expected[m.name]), len(got))
            raise Finding(f"{m.name}{list(cell or [])} is {found}, should be {want} ({len(wrong)} of {len(got)} cells differ)")

def check_transform(binary, info, program, t, rng, all_sizes, folder):
    choices = SIZES[len(t.sizes)]
    for values in choices if all_sizes else rng.sample(choices, min(3, len(choices))):
        sizes = dict(zip(t.sizes, values))
        inputs = inputs_of(t, sizes, rng)
        try:
            expected = interpret(program, t, sizes, inputs)
        except TooLarge:
            continue
        except Uncovered as e:
            expected = e
        except Cycle as e:
            raise Finding(f"{t.name} at {sizes}: accepted, but {e} needs itself") from e
        for m in t.role("from"):
            write_matrix(os.path.join(folder, f"{m.name}.txt"), [evaluate(e, sizes) for e in m.extents], inputs[m.name])
        for text, threads, chosen in configurations(info, program, t.name, rng):
            config = os.path.join(folder, "config.toml")
            with open(config, "w") as f:
                f.write(text)
            try:
                check_run(binary, t, sizes, inputs, expected, config, threads, folder)
            except Finding as e:
                raise Finding(f"{t.name} at {sizes},{chosen}, {threads} threads: {e}") from e

def check_program(pbc, program, seed, all_sizes, binary=None, folder=None):
    """'agrees', or 'refused' where pbc and the interpreter both find no meaning; raises Finding."""
    with tempfile.TemporaryDirectory() as own:
        folder = folder or own
        if not binary:
            binary, messages = compile_program(pbc, program_text(program), folder)
            if not binary:
                if not meaningless(program, messages):
                    raise Finding(f"refused:\n{messages[:1500]}")
                return "refused"
        described = execute([binary, "--info"], 60)
        if described.returncode != 0:
            raise Finding(f"--info: status {described.returncode}\n{described.stderr[:500]}")
        info = json.loads(described.stdout)
        for t in program:
            check_transform(binary, info, program, t, random.Random(seed), all_sizes, folder)
    return "agrees"

# ---- making a failing program smaller

def smaller(program):
    """Programs with one thing less."""
    for k in range(len(program)):
        called = {c for t in program for r in t.rules for c, _ in r.calls}
        if program[k].name not in called and len(program) > 1:
            yield program[:k] + program[k + 1:]
    def changed(change):
        new = copy.deepcopy(program)
        change(new)
        return new
    for k, t in enumerate(program):
        for r in range(len(t.rules)):
            if len(t.rules) > 1:
                yield changed(lambda p, k=k, r=r: p[k].rules.pop(r))
        used = {x.matrix for r in t.rules for x in r.outputs + r.inputs}
        for m in t.matrices:
            if m.name not in used and m.name != "A" and not any(r.calls for t in program for r in t.rules):
                yield changed(lambda p, k=k, m=m: p[k].matrices.remove(next(x for x in p[k].matrices if x.name == m.name)))
        for r, rule in enumerate(t.rules):
            if rule.where:
                yield changed(lambda p, k=k, r=r: p[k].rules[r].where.clear())
            if rule.prefix:
                yield changed(lambda p, k=k, r=r: setattr(p[k].rules[r], "prefix", False))
            for o, terms in rule.results.items():
                for i in range(len(terms)):
                    if len(terms) > 1:
                        yield changed(lambda p, k=k, r=r, o=o, i=i: p[k].rules[r].results[o].pop(i))
            spoken = {x for terms in rule.results.values() for t_ in terms for x in (t_.text, t_.times)}
            for i, x in enumerate(rule.inputs):
                if not rule.calls and x.name not in spoken:
                    yield changed(lambda p, k=k, r=r, i=i: p[k].rules[r].inputs.pop(i))

def shrink(pbc, program, seed, kind, tries=60):
    progress = True
    while progress and tries > 0:
        progress = False
        for candidate in smaller(program):
            tries -= 1
            if tries < 0:
                break
            try:
                check_program(pbc, candidate, seed, True)
            except Finding as e:
                if category(str(e)) == kind:
                    program, progress = candidate, True
                    break
            except Exception:  # what is left has no meaning at all
                continue
    return program

def category(text):
    for key in ("refused", "internal error", "should be", "has no rule", "needs itself", "no end", "status"):
        if key in text:
            return key
    return text

# ---- the whole

def random_program(number):
    return Generator(random.Random(number)).program(f"P{number}")

def compile_together(pbc, programs, folder):
    """{number: executable} of the programs that pbc takes, compiled as one text each time that messages tell which
    of them it does not."""
    left = dict(programs)
    while left:
        texts = {n: program_text(p) for n, p in left.items()}
        try:
            binary, messages = compile_program(pbc, "".join(texts.values()), folder)
        except Finding:
            return {}  # whose it is shows alone
        if binary:
            return {n: binary for n in left}
        lines = {int(line) for line in re.findall(r"^[^\s:]+:(\d+):\d+: error:", messages, re.M)}
        begin = 1
        refused = []
        for n, text in texts.items():
            end = begin + text.count("\n")
            if any(begin <= line < end for line in lines):
                refused.append(n)
            begin = end
        if not refused:
            return {}
        for n in refused:
            del left[n]
    return {}

def check_batch(pbc, numbers, all_sizes):
    """[(number, 'agrees', 'refused' or a finding's text)]"""
    programs = {n: random_program(n) for n in numbers}
    with tempfile.TemporaryDirectory() as folder:
        binaries = compile_together(pbc, programs, folder)
        results = []
        for n, p in programs.items():
            binary = binaries.get(n)
            try:
                results.append((n, check_program(pbc, p, n, all_sizes, binary, folder if binary else None)))
            except Finding as e:
                results.append((n, str(e)))
    return results

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pbc")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--sample", type=int, help="this many, unless PBC_ALL=1 is in the environment")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-sizes", action="store_true", help="every size for every program")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--show", action="store_true", help="print the programs")
    o = parser.parse_args()
    if o.sample and not os.environ.get("PBC_ALL"):
        o.count = o.sample
    numbers = list(range(o.seed, o.seed + o.count))
    if not numbers:
        sys.exit("oracle.py: no program to compare")
    if o.show:
        for n in numbers:
            print(program_text(random_program(n)))
    counts, found = {"agrees": 0, "refused": 0}, []
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        jobs = [pool.submit(check_batch, o.pbc, numbers[k:k + BATCH], o.all_sizes) for k in range(0, len(numbers), BATCH)]
        for job in concurrent.futures.as_completed(jobs):
            for n, result in job.result():
                if result in counts:
                    counts[result] += 1
                else:
                    found.append((n, result))
                    print(f"program {n}: {result}", flush=True)
    for n, result in found:
        if not o.no_shrink:
            print(f"---- program {n}, shrunk: {result}\n" + program_text(shrink(o.pbc, random_program(n), n, category(result))), flush=True)
    print(f"{o.count} programs: {counts['agrees']} agree, {counts['refused']} refused by both, {len(found)} findings")
    sys.exit(1 if found or counts["agrees"] == 0 else 0)

if __name__ == "__main__":
    main()
