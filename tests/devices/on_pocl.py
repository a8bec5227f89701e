#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one of the tests of devices on PoCL instead of the fake device: on_pocl.py TEST.py PBC.

PoCL compiles kernels without optimisation, which is five times as fast to build. Without an OpenCL device the test is skipped.
"""
import ctypes, os, subprocess, sys, tempfile

NOTHING_TO_TEST = 77


def platforms():
    try:
        loader = ctypes.CDLL("libOpenCL.so.1")
    except OSError:
        return 0
    count = ctypes.c_uint(0)
    return count.value if loader.clGetPlatformIDs(0, None, ctypes.byref(count)) == 0 else 0


if platforms() == 0:
    print("no OpenCL device")
    sys.exit(NOTHING_TO_TEST)
with tempfile.TemporaryDirectory() as cache:
    environment = {**os.environ, "DEVICE": "opencl", "POCL_CACHE_DIR": cache, "POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"}
    sys.exit(subprocess.run([sys.executable, *sys.argv[1:]], env=environment).returncode)
