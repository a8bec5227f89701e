# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The compiler as a command: where it is, and how it is run."""
import os
import shutil
import subprocess
from pathlib import Path

from ._errors import CompileError

HERE = Path(__file__).resolve().parent


def compiler():
    """The path of `pbc`: that of PBC in the environment, of this package, or of the search path."""
    named = os.environ.get("PBC")
    if named:
        return named
    own = HERE / "bin" / "pbc"
    found = str(own) if own.exists() else shutil.which("pbc")
    if not found:
        raise CompileError("there is no compiler: PBC=/path/to/pbc in the environment names one")
    return found


def standard_library():
    """The folder of the standard library that belongs to the compiler."""
    named = os.environ.get("PBC_STDLIB")
    return Path(named) if named else Path(compiler()).resolve().parent.parent / "share" / "pbc" / "stdlib"


def run(*words, error=CompileError, shows=False):
    """Runs `pbc` and returns what it prints; raises `error` with its message where it fails. `shows`: its messages go to the user meanwhile."""
    command = [compiler(), *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=None if shows else subprocess.PIPE, text=True)
    if done.returncode:
        raise error((done.stderr or done.stdout or f"pbc ended with status {done.returncode}").strip())
    return done.stdout


def cache_folder():
    """Where compiled programs are kept: PBC_PYTHON_CACHE, or pbc/python in the user's folder for caches."""
    named = os.environ.get("PBC_PYTHON_CACHE")
    base = Path(named).absolute() if named else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pbc" / "python"
    base.mkdir(parents=True, exist_ok=True)
    return base
