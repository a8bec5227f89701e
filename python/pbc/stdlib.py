# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The standard library as functions: pbc.stdlib.sort(x), pbc.stdlib.matrix_product(a, b).

Names are those of the library's transforms in lower case, MatrixProduct as matrix_product. A file of the library is compiled when one of its functions is first
used, and kept. `program("sort")` is that file's program, which can be tuned.
"""
import re
from functools import lru_cache

from ._program import compile as _compile
from ._tools import standard_library as _standard_library


def _snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


@lru_cache(maxsize=None)
def _index():
    """From the names of functions to (file, transform)."""
    found = {}
    for file in sorted(_standard_library().glob("*.pbcc")):
        for name in re.findall(r"^(?:main )?transform (\w+)", file.read_text(), re.M):
            found.setdefault(_snake(name), (file.stem, name))
    return found


@lru_cache(maxsize=None)
def program(file):
    """The program of a file of the library, by its name without suffix."""
    path = _standard_library() / f"{file}.pbcc"
    if not path.exists():
        raise FileNotFoundError(f"the standard library has no file {file}; it has {', '.join(sorted(p.stem for p in path.parent.glob('*.pbcc')))}")
    return _compile(path)


def __getattr__(name):
    if name.startswith("_") or name not in _index():
        raise AttributeError(f"the standard library has no function {name}")
    file, transform = _index()[name]
    return program(file)[transform]


def __dir__():
    return ["program", *_index()]
