# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The libraries with which pbc is compared: their places and versions, and whether they are fair peers on this machine.

`bench/install-peers` puts them into one folder. The rows of a missing peer are left out, and a message says so.

A BLAS is a fair peer only on a processor that it knows. On an unknown processor it runs kernels for an older one:
OpenBLAS 0.3.21 reached 18 % of the peak on an Intel Xeon (family 6, model 207) where OpenBLAS 0.3.34 reached 90 % and
oneMKL 92 %. Therefore `judged` measures each library once, with a product of 1024 x 1024 doubles on one thread, and
marks the libraries below 60 % of KNOWN.
"""
import functools
import os
import re
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
import samples

KNOWN = 0.9  # the part of the peak that OpenBLAS 0.3.34 and oneMKL reach at 1024 x 1024 on processors that they know
FAIR = 0.6 * KNOWN


@dataclass(frozen=True)
class Peer:
    """A library with its version. `environment(threads)` is the environment of a program that uses it."""
    name: str
    version: str
    library: Path = None
    prefix: str = "-"  # the prefix of the library's names; "-": none
    threads_variable: str = ""
    folders: tuple = field(default=())  # the folders of the libraries that it needs

    def __str__(self):
        return f"{self.name} {self.version}"

    def environment(self, threads):
        result = dict(os.environ)
        # These variables set the processor for older versions of OpenBLAS; a current version must detect it itself.
        for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
            result.pop(name, None)
        if self.folders:
            result["LD_LIBRARY_PATH"] = ":".join([*map(str, self.folders), os.environ.get("LD_LIBRARY_PATH", "")]).rstrip(":")
        if self.threads_variable:
            result[self.threads_variable] = str(threads)
        return result


class Peers:
    """The peers in a folder that bench/install-peers has made."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.python = self.folder / "bin" / "python"
        self.packages = next(iter(sorted(self.folder.glob("lib/python3*/site-packages"))), self.folder / "absent")
        self.debian = self.folder / "debian" / "usr"

    def wheel(self, package):
        """The version of a package from PyPI, or None."""
        for info in self.packages.glob(f"{package}-*.dist-info"):
            return info.name[len(package) + 1:-len(".dist-info")]
        return None

    def blas(self):
        """All BLAS libraries in the folder."""
        openblas = self.packages / "scipy_openblas32" / "lib" / "libscipy_openblas.so"
        mkl = next(iter(sorted((self.folder / "lib").glob("libmkl_rt.so.*"))), self.folder / "absent")
        blis = self.debian / "lib" / "x86_64-linux-gnu" / "blis-openmp" / "libblis.so.4"
        all = [Peer("OpenBLAS", ".".join((self.wheel("scipy_openblas32") or "").split(".")[:3]), openblas, "scipy_", "OPENBLAS_NUM_THREADS"),
               Peer("oneMKL", self.wheel("mkl"), mkl, "-", "MKL_NUM_THREADS", (self.folder / "lib",)),
               Peer("BLIS", "0.9.0", blis, "-", "BLIS_NUM_THREADS")]
        return [p for p in all if p.library.exists()]

    def halide(self):
        folder = self.packages / "halide"
        return Peer("Halide", self.wheel("halide"), folder, "-", "HL_NUM_THREADS", (folder / "lib64",)) if folder.exists() else None

    def tbb(self):
        return Peer("oneTBB", self.wheel("tbb"), self.folder, folders=(self.folder / "lib",)) if self.wheel("tbb_devel") else None

    def vqsort(self):
        library = self.debian / "lib" / "x86_64-linux-gnu" / "libhwy_contrib.so"
        return Peer("vqsort (Highway)", "1.0.3", library, folders=(library.parent,)) if library.exists() else None

    def transforms(self):
        """The libraries with Fourier transforms, SciPy and FFTW, by the names that bench/fft/peer.py expects."""
        return {name: Peer(name, self.wheel(wheel), self.python)
                for name, wheel in (("scipy", "scipy"), ("pyfftw", "pyfftw")) if self.wheel(wheel)}


@functools.cache
def compiler(command):
    """A compiler as a peer: "clang 19.1.7"."""
    text = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    name = "clang" if "clang" in text.split("\n")[0] else "gcc"
    return Peer(name, re.search(r"\d+\.\d+\.\d+", text)[0])


def c_library():
    return Peer("glibc", os.confstr("CS_GNU_LIBC_VERSION").split()[-1])


def best_of(samples):
    """The peer with the smallest median of a dictionary from peer to samples."""
    return min(samples, key=lambda peer: statistics.median(samples[peer]))


def judged(blas, library, limits):
    """Returns "" for a fair peer, otherwise the remark for its rows. `blas` is the program of bench/dense/blas.cpp. The
    measure is processor time, because other programs disturb it less than elapsed time."""
    seconds = samples.seconds(blas, library.library, library.prefix, "Product", 1024, 1024, 1024, of="processor", env=library.environment(1))
    return "" if 2 * 1024**3 / seconds >= FAIR * limits.operations("double") else ", not a fair peer here"
