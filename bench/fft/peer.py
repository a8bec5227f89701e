# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""A Fourier transform of N complex numbers by SciPy (pocketfft) or FFTW, from Python; the library's own time is nearly all.

  peer.py scipy|pyfftw N THREADS    => "time: SECONDS s", the median
"""
import statistics
import sys
import time

import numpy


def transform(library, values, threads):
    """A function without arguments that transforms the values."""
    if library == "scipy":
        import scipy.fft
        return lambda: scipy.fft.fft(values, workers=threads)
    import pyfftw
    plan = pyfftw.builders.fft(values, threads=threads, planner_effort="FFTW_MEASURE")
    return plan


def main():
    library, n, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    values = numpy.random.default_rng(1).uniform(-1, 1, 2 * n).view(numpy.complex128)
    run = transform(library, values, threads)
    run()
    times, total = [], 0.0
    while len(times) < 3 or total < 0.5:
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
        total += times[-1]
    print(f"time: {statistics.median(times):.9g} s")


main()
