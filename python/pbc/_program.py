# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs: compiled, called, tuned and explained."""
import hashlib
import inspect
import json
import keyword
import operator
import os
import re
import tempfile
from pathlib import Path

from . import _core
from ._display import Page, Text
from ._errors import ArgumentError, Error, TuneError
from ._tools import cache_folder, compiler, run


def compile(source, *, configuration=None, threads=0, devices="", seed=0, options=()):
    """Compiles a program and returns it, with its transforms as functions.

    source: the path of a .pbcc file, or the text of a program (anything with a line break or a brace).
    configuration: a file that `tune` or `pbc tune` has written; None: the one that this program was last tuned with, if there is one; "": none.
    threads: of the calls; 0: as many as the configuration says, or the machine has processors.
    devices: those that steps may run on, if the configuration places some there, and arrays may lie on, as "cuda:0"; "none"; "": those that PB_DEVICES in the environment names, or
        all, if the configuration places steps on devices.
    seed: of the random numbers that rules draw; 0: 1, as in programs. With threads=1, programs that are called in the same way get the same numbers.
    options: further words for the compiler, as "-DN=4", "-lblas", "--element=float".

    Raises CompileError with the compiler's messages, and ConfigurationError.

    >>> import numpy as np
    >>> f = compile("transform Twice from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return 2 * a; } }")
    >>> f.Twice(np.array([1.0, 2.5]))
    array([2., 5.])
    """
    text = str(source)
    isText = "\n" in text or "{" in text
    path = _written(text) if isText else Path(text).resolve()
    if not isText and not path.exists():
        raise FileNotFoundError(f"there is no program {source}")
    return Program(path, configuration=configuration, threads=threads, devices=devices, seed=seed, options=options)


def _written(text):
    """The text of a program as a file of the cache, whose name follows from it."""
    path = cache_folder() / "texts" / hashlib.sha256(text.encode()).hexdigest()[:16] / "program.pbcc"
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, text)
    return path


def _write(path, text):
    """Writes a file as a whole, also where several processes write the same one."""
    if path.exists() and path.read_text() == text:
        return
    descriptor, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    os.replace(name, path)


def _identifier(name):
    """"Sort<2>" as a name of Python: Sort_2."""
    return re.sub(r"\W+", "_", name).strip("_")


def _whole(name, value, largest):
    """A whole number from 0, or the reason why it is none."""
    whole = operator.index(value) if hasattr(value, "__index__") else -1
    if not 0 <= whole <= largest:
        raise ArgumentError(f"{name} has to be a whole number from 0 to {largest}, and is {value!r}")
    return whole


class Program:
    """A compiled program. Its transforms are attributes: program.MatMul(a, b).

    Matrices are NumPy arrays, or anything with DLPack or a buffer, of the element type that the program says and with any strides; nothing is copied. Python's
    last index is x: an array of shape (h, w) is a matrix [w, h]. Any number of threads may call, and Python's lock is not held meanwhile.
    """

    def __init__(self, path, *, configuration=None, threads=0, devices="", seed=0, options=()):
        if not isinstance(devices, str):
            raise ArgumentError(f'devices has to be text, as "cuda:0", "none" or "", and is {devices!r}')
        if isinstance(options, str):
            raise ArgumentError(f"options has to be a list of words, as [{options!r}]")
        threads, seed = _whole("threads", threads, 2**31 - 1), _whole("seed", seed, 2**64 - 1)
        self._path, self._threads, self._devices, self._seed, self._options = Path(path), threads, devices, seed, tuple(map(str, options))
        key = hashlib.sha256("\0".join([str(self._path), compiler(), *self._options]).encode()).hexdigest()[:16]
        self._folder = cache_folder() / key
        self._folder.mkdir(parents=True, exist_ok=True)
        self._library = self._compiled()
        # What is fastest on one thread is not on all: each number of threads has a configuration of its own, and begins with that of all.
        tuned = self._folder / "tuned.cfg"
        self._tuned = self._folder / f"tuned-threads-{threads}.cfg" if threads else tuned
        kept = next((str(file) for file in (self._tuned, tuned) if file.exists()), "")
        self._file = kept if configuration is None else str(configuration)
        try:
            self._context = _core.Context(str(self._library), threads, self._file, devices, seed)
        except Error:
            if configuration or not self._file:
                raise
            self._file = ""  # of an earlier text of the program
            self._context = _core.Context(str(self._library), threads, "", devices, seed)
        self.functions = {function.name: _documented(function) for function in self._context.functions()}
        # Names as they stand in the program come before those of copies. Members of this class stay what they are: the transform is program["tune"].
        for name in sorted(self.functions, key=lambda name: name != _identifier(name)):
            if not hasattr(type(self), _identifier(name)) and _identifier(name) not in self.__dict__:
                setattr(self, _identifier(name), self.functions[name])

    def _compiled(self):
        """The library, in a file whose name follows from its content: one that is open must not change."""
        name = re.sub(r"\W", "_", self._path.stem)
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            made = Path(folder) / f"lib{name}.so"
            run(self._path, "--shared", "-o", made, *self._options)
            digest = hashlib.sha256(made.read_bytes()).hexdigest()[:16]
            kept = self._folder / digest / made.name
            if not kept.exists():
                kept.parent.mkdir(exist_ok=True)
                os.replace(made, kept)
        return kept

    def __getitem__(self, name):
        """A transform by its name in the program, as "Sort<2>"."""
        try:
            return self.functions[name]
        except KeyError:
            raise KeyError(f"{self._path.name} has no transform {name}; it has {', '.join(self.functions)}") from None

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"{self._path.name} has no transform {name}; it has {', '.join(map(_identifier, self.functions))}")

    def __repr__(self):
        return f"<program {self._path.name}: {', '.join(map(_identifier, self.functions))}>"

    @property
    def configuration(self):
        """The text of the configuration in use."""
        return Text(self._context.configuration)

    def tune(self, transform=None, *, size=None, effort="quick", budget=None, progress=False, options=()):
        """Finds the fastest choices on this machine, and uses them from the next call on, and in later processes.

        transform: the name of the one that is run meanwhile (default: the program's main transform).
        size: a number for all sizes, or a dictionary {"w": 1024, "h": 768}; None: one at which a run takes a part of a second.
        effort: "instant", "quick", "full" or "prove". budget: seconds, instead.
        progress: the tuner's lines are shown.
        options: further words for `pbc tune`.

        Returns what it found as a dictionary (speedup, choices, measurements, ...). Raises TuneError.
        """
        main = [f"--main={transform}"] if transform else []
        program = self._folder / f"tuned_{_identifier(transform or 'main')}"
        run(self._path, "-o", program, *main, *self._options)
        words = ["tune", program, f"--effort={effort}", "--json", "--report=none", f"--output={self._tuned}"]
        if budget is not None:
            words.append(f"--budget={budget}")
        if isinstance(size, dict):
            words += [f"--size={name}={value}" for name, value in size.items()]
        elif size is not None:
            words.append(f"--n={size}")
        if self._threads:
            words.append(f"--threads={self._threads}")
        if self._devices:
            words.append(f"--devices={self._devices}")
        found = json.loads(run(*words, *options, error=TuneError, shows=progress))
        if self._tuned.exists():
            self._file = str(self._tuned)
            self._context.configure(str(self._library), self._threads, self._file, self._devices, self._seed)
        return found

    def explain(self, transform=None):
        """What the compiler makes of each rule: its loops, their order, what runs in parallel, and why not more."""
        text = run("explain", self._path, *self._options)
        if transform:
            parts = re.split(r"(?m)^(?=transform )", text)
            text = "".join(p for p in parts if re.match(rf"transform {re.escape(transform)}(<.*>)?\s*\n", p))
            if not text:
                raise KeyError(f"{self._path.name} has no transform {transform}")
        return Text(text)

    def report(self, transform=None):
        """The page about the last tuning, as `pbc report` makes it."""
        program = self._folder / f"tuned_{_identifier(transform or 'main')}"
        if not program.exists():
            raise TuneError("the program has not been tuned")
        page = self._folder / "report.html"
        run("report", program, f"--config={self._tuned}", "-o", page, error=TuneError)
        return Page(page.read_text())


def _documented(function):
    """Gives a function its signature and documentation."""
    taken = {"out", "accuracy"} if function.targets else {"out"}

    def parameter(name, kind):
        return inspect.Parameter(name + "_" if keyword.iskeyword(name) or name in taken else name, kind)

    parameters = [parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name, *_ in function.inputs]
    parameters += [parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in function.sizes]
    if function.targets:
        parameters.append(inspect.Parameter("accuracy", inspect.Parameter.KEYWORD_ONLY, default=None))
    parameters.append(inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None))
    lines = [function.text.strip(), ""] if function.text.strip() else []
    for kind, all_of_them in (("input", function.inputs), ("output", function.outputs)):
        lines += [f"{kind} {name}{extents if rank else ''}: {dtype}{', updated in place' if kind == 'input' and name in function.updated else ''}"
                  for name, dtype, rank, extents in all_of_them]
    if function.targets:
        lines.append(f"accuracy: one of {', '.join(f'{t:g}' for t in function.targets)}, or anything below")
    lines.append("Arrays of shape (..., h, w) are matrices [w, h, ...].")
    function.__name__ = function.name
    function.__doc__ = "\n".join(lines)
    function.__signature__ = inspect.Signature(parameters)
    return function
