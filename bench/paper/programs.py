# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The programs of scripts/results: benchmarks that pbc compiles, and their rivals."""
import hashlib
import os
import subprocess
from pathlib import Path
from samples import ROOT, call, seconds

ROUTINES = {"strassen": "cblas_dgemm", "svd": "dgesdd_", "tridiagonal": "dgtsv_"}  # what the benchmarks call with -DLIBRARY
HERE = Path(__file__).resolve().parent


def content(*files):
    """What files hold, as a short text."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()[:16]


class Programs:
    """Builds each program once, in `folder`. `pbc` is the compiler, `peers` what bench/install-peers has installed."""

    def __init__(self, pbc, peers, folder):
        self.pbc, self.peers, self.folder = Path(pbc).resolve(), peers, Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)

    def benchmark(self, benchmark):
        """The compiled benchmark."""
        program = self.folder / benchmark.name
        call(self.pbc, benchmark.source, "-o", program)
        return program

    def with_library(self, benchmark):
        """The benchmark with its library among its choices, as a program, an environment and a rival as in rivals(); or None."""
        if benchmark.name == "sort" and (vqsort := self.peers.vqsort()):
            library, options = vqsort, ["-DLIBRARY", "-I", self.peers.debian / "include", "-lhwy_contrib", "-lhwy"]
        elif benchmark.name in ROUTINES and (library := next((p for p in self.peers.blas() if p.name == "OpenBLAS"), None)):
            options = [f"-DLIBRARY={library.prefix.strip('-')}{ROUTINES[benchmark.name]}", f"-l{library.library.stem.removeprefix('lib')}"]
        else:
            return None
        program = self.folder / f"{benchmark.name}-with-library"
        call(self.pbc, benchmark.source, "-o", program, f"-L{library.library.parent}", *options)
        rival = next((name, run) for name, run in self.rivals(benchmark) if name == str(library))
        return program, {"LD_LIBRARY_PATH": str(library.library.parent), library.threads_variable or "UNUSED": str(os.cpu_count())}, rival

    def rivals(self, benchmark):
        """What a user would call instead, as pairs of a name and a function from size and threads to seconds."""
        name = benchmark.name
        if name in ("black_scholes", "convolution"):
            program = self._cpp(f"{name}-loops", "-ffast-math", "-fveclib=libmvec")
            return [("C++ loops, vectorised by clang, on threads", lambda n, threads: seconds(program, name, n, threads))]
        if name == "sort":
            return self._sorts()
        if name in ("strassen", "svd", "tridiagonal"):
            return self._libraries(name)
        return []

    def _cpp(self, name, *options, source=HERE / "rivals.cpp"):
        program = self.folder / f"rival-{name}"
        call("clang++-19", "-std=c++20", "-O3", "-march=native", "-pthread", source, "-o", program, "-ldl", *options)
        return program

    def _sorts(self):
        plain = self._cpp("sort")
        found = [("std::sort", lambda n, threads: seconds(plain, "sort", n, threads))]
        if tbb := self.peers.tbb():
            parallel = self._cpp("sort-tbb", "-DTBB", f"-I{tbb.library / 'include'}", f"-L{tbb.library / 'lib'}", "-ltbb")
            found.append((f"tbb::parallel_sort, {tbb}", lambda n, threads: seconds(parallel, "sort", n, threads, env=tbb.environment(threads))))
        if vqsort := self.peers.vqsort():
            vectors = self._cpp("sort-vqsort", "-DVQSORT", f"-I{self.peers.debian / 'include'}", f"-L{vqsort.library.parent}", "-lhwy_contrib", "-lhwy")
            found.append((str(vqsort), lambda n, threads: seconds(vectors, "sort", n, threads, env=vqsort.environment(threads))))
        return found

    def _libraries(self, name):
        program = self._cpp("libraries")
        # BLIS has no functions of LAPACK.
        return [(str(p), lambda n, threads, p=p: seconds(program, name, n, p.library, p.prefix, env=p.environment(threads)))
                for p in self.peers.blas() if name == "strassen" or p.name != "BLIS"]


def commit():
    """The commit of the sources, with a mark where files differ from it."""
    r = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return r.stdout.strip() or "unknown"
