#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the table below, which says which component may include which, with all #include lines of compiler/,
runtime/ and tuner/.

  layers.py ROOT

A component is a folder with those of its subfolders that have no line of their own. If a folder has files of different
layers, a component may also be a header with its source, or several of them (`tuner/write_file`). The first name in a
line is the component's name. The line lists the components that its files include directly. The table must have no cycle
and no unused entry, so that it describes the project: a component includes only components above it.
"""
import os
import re
import sys

TABLE = {
    # The runtime is linked with generated programs.
    "runtime/abi": "",
    "runtime/base": "runtime/abi",
    "runtime/matrix": "runtime/abi runtime/base",
    "runtime/task": "runtime/abi runtime/base runtime/matrix",
    "runtime/config": "runtime/abi runtime/base runtime/matrix",
    "runtime/device": "runtime/abi runtime/base runtime/matrix runtime/task",
    "runtime/program": "runtime/abi runtime/base runtime/matrix runtime/task runtime/config runtime/device",
    "runtime/embed": "runtime/abi runtime/base runtime/matrix runtime/task runtime/config runtime/device runtime/program",
    # The tuner does not depend on the compiler.
    "tuner/base": "",
    "tuner/space": "runtime/base",
    "tuner/write_file tuner/temporary_folder": "runtime/base tuner/space",
    "tuner/journal": "tuner/space",
    "tuner/strategy": "tuner/space tuner/journal",
    "tuner/evaluate": "tuner/base tuner/space tuner/write_file tuner/journal tuner/strategy",
    "tuner/travel": "runtime/base tuner/base tuner/space tuner/write_file tuner/evaluate",
    "tuner/report": "runtime/base tuner/base tuner/space tuner/write_file tuner/journal tuner/strategy tuner/evaluate",
    "tuner/session tuner/session_start tuner/output_files tuner/accuracy_target":
        "tuner/space tuner/write_file tuner/journal tuner/strategy tuner/evaluate tuner/travel tuner/report",
    "tuner/kernels":
        "tuner/space tuner/write_file tuner/journal tuner/strategy tuner/evaluate tuner/travel tuner/report "
        "tuner/session",
    "tuner": "runtime/base tuner/space tuner/write_file tuner/strategy tuner/report tuner/session tuner/kernels",
    # The components of the compiler, in the order of its passes.
    "compiler/source": "runtime/base",
    "compiler/poly": "",
    "compiler/script": "compiler/source",
    "compiler/syntax": "compiler/source compiler/script",
    "compiler/sema": "runtime/device compiler/source compiler/poly compiler/script compiler/syntax",
    "compiler/preamble": "compiler/source",
    "compiler/body": "compiler/source compiler/poly compiler/syntax compiler/sema compiler/preamble",
    "compiler/choice": "compiler/source compiler/poly compiler/sema compiler/body",
    "compiler/schedule": "compiler/body compiler/choice",
    "compiler/kernel":
        "runtime/base compiler/source compiler/poly compiler/script compiler/syntax compiler/body compiler/schedule",
    "compiler/loop": "compiler/body compiler/kernel",
    "compiler/emit/dialect": "compiler/loop",
    "compiler/emit/kernel": "compiler/kernel compiler/loop compiler/emit/dialect",
    "compiler/emit":
        "runtime/device compiler/poly compiler/script compiler/body compiler/choice compiler/schedule compiler/kernel "
        "compiler/emit/dialect compiler/emit/kernel",
    "compiler/compose": "compiler/source compiler/script compiler/syntax compiler/sema compiler/kernel",
    # The machine code that a compiler of devices makes.
    "compiler/cubin": "",
    # The time of kernels, found without data.
    "compiler/emulate": "compiler/source",
    "compiler/build": "runtime/base compiler/preamble",
    # The cost models and `pbc model`.
    "compiler/model": "",
    "compiler/model/machine": "runtime/base tuner/space compiler/source compiler/model",
    "compiler/model/movement": "runtime/abi compiler/model",
    "compiler/model/measure": "runtime/base runtime/device compiler/model compiler/model/machine",
    "compiler/model/area": "compiler/model compiler/model/machine",
    "compiler/model/time": "runtime/base compiler/kernel compiler/model compiler/model/machine",
    "compiler/model/energy": "runtime/base compiler/model compiler/model/machine compiler/model/time",
    "compiler/model/codesign": "runtime/base compiler/model compiler/model/area compiler/model/time",
    "compiler/model/command":
        "runtime/abi runtime/base runtime/device tuner/base tuner/space tuner/write_file compiler/model "
        "compiler/model/machine compiler/model/movement compiler/model/measure compiler/model/area "
        "compiler/model/time compiler/model/energy compiler/model/codesign",
    "compiler/emulate/device": "compiler/cubin compiler/kernel compiler/loop compiler/model compiler/model/machine compiler/emulate",
    "compiler/emulate/processor": "compiler/body compiler/kernel compiler/loop compiler/model compiler/model/machine compiler/emulate",
    # The search over schedules, from its core to kernels on the machine at hand.
    "compiler/search": "",
    "compiler/search/nest": "compiler/poly compiler/kernel compiler/search",
    "compiler/search/bound": "compiler/search compiler/search/nest",
    "compiler/search/chain": "compiler/kernel compiler/search/nest compiler/search/bound",
    "compiler/search/strategy": "compiler/search",
    "compiler/search/gpu": "compiler/kernel compiler/model/machine compiler/search compiler/search/nest compiler/search/strategy",
    "compiler/search/measure":
        "runtime/base compiler/poly compiler/body compiler/kernel compiler/emit/kernel compiler/build",
    "compiler/search/predict":
        "runtime/base compiler/poly compiler/script compiler/kernel compiler/loop compiler/emit/kernel compiler/build compiler/model/machine compiler/emulate "
        "compiler/emulate/processor compiler/search/measure",
    "compiler/search/prove":
        "runtime/base compiler/script compiler/model/machine compiler/search/nest compiler/search/bound compiler/search/chain compiler/search/measure compiler/search/strategy",
    "compiler/search/device":
        "runtime/device compiler/poly compiler/script compiler/kernel compiler/emit/dialect compiler/emit/kernel compiler/search compiler/search/gpu "
        "compiler/search/measure compiler/search/prove",
    "compiler/search/record":
        "runtime/base compiler/kernel compiler/model/machine compiler/search compiler/search/nest compiler/search/prove",
    # The driver puts all components together.
    "compiler/driver":
        "runtime/abi runtime/base runtime/device tuner/space tuner/evaluate tuner/travel tuner compiler/source compiler/poly compiler/script "
        "compiler/syntax compiler/cubin compiler/emulate compiler/emulate/device compiler/loop compiler/sema compiler/body compiler/choice compiler/schedule compiler/kernel compiler/compose compiler/emit/kernel "
        "compiler/emit compiler/build compiler/model/machine compiler/model/measure compiler/model/command compiler/search compiler/search/nest compiler/search/bound compiler/search/chain "
        "compiler/search/gpu compiler/search/predict compiler/search/prove compiler/search/device compiler/search/record compiler/search/strategy",
}


class Problem(Exception):
    pass


class Layers:
    """The parsed table: `members` has the component of each name, `allowed` the components that each may include."""

    def __init__(self, table):
        self.members, self.allowed = {}, {}
        for names, others in table.items():
            component = names.split()[0]
            for other in others.split():
                if other not in self.allowed:
                    raise Problem(f"the table lets {component} include {other}, which does not stand above it: that is a "
                                  "cycle, the wrong order, or a component that has no line")
            self.allowed[component] = others.split()
            self.members.update({name: component for name in names.split()})

    def component_of(self, path):
        """The component whose name is the longest prefix of the file's path; None if there is none."""
        name = os.path.splitext(path)[0]
        while name and name not in self.members:
            name = os.path.dirname(name)
        return self.members.get(name)


def includes(text):
    """(line number, path) of each #include of a file of the project."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r'\s*#\s*include\s*"([^"]+)"', line):
            yield number, found[1]


def target_of(path, included, files):
    """The source that an #include in the file `path` names; None if the file is generated or belongs to a library."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), included))
    return included if included in files else beside if beside in files else None


def compare(table, files):
    """The problems, one line each; `files` has the text of each source by its path from the root."""
    layers, wrong, seen = Layers(table), [], {}
    for path, text in sorted(files.items()):
        component = layers.component_of(path)
        if component is None:
            wrong.append(f"{path}: no line of the table in tests/checks/layers.py is about this folder")
            continue
        used = seen.setdefault(component, set())
        for number, included in includes(text):
            target = target_of(path, included, files)
            if target is None:
                if included.startswith(("compiler/", "runtime/", "tuner/", "tests/", "bench/")):
                    wrong.append(f"{path}:{number}: includes {included}, which is no source of compiler/, runtime/ or tuner/")
                continue
            other = layers.component_of(target)
            if other is None or other == component:
                continue
            used.add(other)
            if other not in layers.allowed[component]:
                wrong.append(f"{path}:{number}: {component} must not include {other} ({included}); it may include "
                             f"{', '.join(layers.allowed[component]) or 'nothing'}. Move what both need to a component above "
                             "them, or, if the layer is meant, add it to the table in tests/checks/layers.py")
    for component, allowed in layers.allowed.items():
        if component not in seen:
            wrong.append(f"the table has a line for {component}, where no source is")
            continue
        for other in allowed:
            if other not in seen[component]:
                wrong.append(f"the table lets {component} include {other}, and nothing does: take it out of the line")
    return wrong


def sources(root):
    files = {}
    for top in ("compiler", "runtime", "tuner"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith((".h", ".cpp", ".inc")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        files[os.path.relpath(path, root)] = file.read()
    return files


def main():
    files = sources(sys.argv[1])
    if not files:
        sys.exit(f"layers.py: no source in {sys.argv[1]}")
    try:
        wrong = compare(TABLE, files)
    except Problem as problem:
        sys.exit(f"layers.py: {problem}")
    print("\n".join(wrong) or f"{len(files)} files of {len(TABLE)} components")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
