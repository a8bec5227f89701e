# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The seven benchmarks of petabricks-hetero 9 (Fig. 8), as programs over the standard library, and their sizes."""
from dataclasses import dataclass
from pathlib import Path
from paper.names import chosen

HERE = Path(__file__).resolve().parent
STDLIB = HERE.parent.parent / "stdlib"


@dataclass(frozen=True)
class Benchmark:
    """`sizes`: in cells of the size variable, ascending; a benchmark is tuned at `sizes[tuned]`, which answers in well under a second.
    `paper`: the size of Fig. 8, and `published`: configurations (a power of ten), kernels, hours of tuning."""
    name: str
    title: str
    libraries: tuple  # the files of the standard library that have its algorithms
    sizes: tuple
    tuned: int
    paper: int
    published: tuple
    variable: str = "n"

    @property
    def source(self):
        return HERE / f"{self.name}.pbcc"

    def arguments(self, n):
        """The options that give a program its size."""
        if self.name == "convolution":
            return [f"--size=w={n}", f"--size=h={n}", "--size=kw=7"]
        return [f"--n={n}"]

    def lines(self):
        """Lines of code of the benchmark and of its library files, without comments and empty lines."""
        files = [self.source, *(STDLIB / f"{name}.pbcc" for name in self.libraries)]
        return sum(1 for file in files for line in file.read_text().splitlines() if line.strip() and not line.strip().startswith("//"))


ALL = [
    Benchmark("black_scholes", "Black-Scholes", ("finance",), (5000, 50000, 500000, 2000000), 2, 500000, (130, 1, 3.09)),
    Benchmark("poisson", "Poisson 2D", ("poisson",), (63, 255, 1023, 2047), 2, 2048, (1358, 25, 15.37)),
    Benchmark("convolution", "Separable convolution", ("convolution", "fft"), (220, 880, 1760, 3520), 2, 3520, (1358, 9, 3.82)),
    Benchmark("sort", "Sort", ("sort",), (1 << 10, 1 << 14, 1 << 18, 1 << 20), 3, 1 << 20, (920, 7, 3.56)),
    Benchmark("strassen", "Strassen", ("strassen", "linalg"), (64, 256, 1024, 2048), 2, 1024, (1509, 9, 3.05)),
    Benchmark("svd", "SVD", ("svd", "eigen", "qr", "tridiagonal_eigen", "rows"), (16, 64, 128, 256), 3, 256, (2435, 8, 1.79)),
    Benchmark("tridiagonal", "Tridiagonal solver", ("tridiagonal",), (1000, 30000, 1000000, 4000000), 2, 1 << 20, (1040, 8, 5.56)),
]


def named(names):
    """The benchmarks with these names, or all; raises Unknown."""
    return chosen("benchmark", {b.name: b for b in ALL}, names)
