# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Programs of algorithmic choices, compiled and tuned for this machine, as functions of arrays.

    import pbc
    f = pbc.compile("mm.pbcc")
    c = f.MatMul(a, b)
    f.tune(size=1024)
    pbc.stdlib.sort(x)
"""
from . import stdlib
from ._errors import (AccuracyError, ArgumentError, CompileError, ConfigurationError, DeviceError, Error, MemoryError, OverlapError, RecursionError, RuleError,
                      SizeError, TuneError)
from ._program import Program, compile

__all__ = ["compile", "Program", "stdlib", "Error", "CompileError", "ArgumentError", "SizeError", "OverlapError", "ConfigurationError", "MemoryError",
           "RuleError", "RecursionError", "AccuracyError", "DeviceError", "TuneError"]
