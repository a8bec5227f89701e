# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What can go wrong, each with the compiler's or the library's own words."""
import builtins


class Error(Exception):
    """Anything that pbc refuses, or that fails in a program."""


class CompileError(Error):
    """The compiler's message, with places in the program."""


class ArgumentError(Error, TypeError):
    """An argument of a wrong type, rank or element type, or an output that is read-only."""


class SizeError(Error, ValueError):
    """Arguments whose sizes do not fit together."""


class OverlapError(Error, ValueError):
    """Outputs that share memory."""


class ConfigurationError(Error, ValueError):
    """A configuration that cannot be read, or that belongs to another program."""


class MemoryError(Error, builtins.MemoryError):
    """Memory or threads are short."""


class RuleError(Error, RuntimeError):
    """A rule of the program threw an exception, gave up, or found an assertion not to hold."""


class RecursionError(Error, builtins.RecursionError):
    """A transform calls itself without end."""


class AccuracyError(Error, ValueError):
    """No accuracy target is as high as the one that is asked for."""


class DeviceError(Error, RuntimeError):
    """An array on a device that the program does not have."""


class TuneError(Error, RuntimeError):
    """The tuner's message."""


# By the numbers of runtime/abi/pbc.h.
_BY_STATUS = {1: Error, 2: Error, 3: ArgumentError, 4: SizeError, 5: OverlapError, 6: ConfigurationError, 7: MemoryError, 8: RuleError, 9: RecursionError,
              10: AccuracyError, 11: DeviceError, 12: Error}


def by_status(status):
    """The class for a status of the C interface."""
    return _BY_STATUS.get(status, Error)
