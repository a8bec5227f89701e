# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What the tests of `pbc tune` share."""
import signal, subprocess, sys

# A shell's background jobs ignore it, and pbc leaves what is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

def check(condition, what):
    if not condition:
        print(what)
        sys.exit(1)

def run(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=200, **more)
