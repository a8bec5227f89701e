# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The routines of <blas3.pbcc>, plain loops and a structure: their rates relative to our product without turned matrices beside
them, and to a library's routine of the same name. One thread. `SIZES=512,1024 TYPES=DS bench/run blas3` chooses."""
import os
import statistics
from samples import call, in_turns, row, seconds, verdict

SIZES = [int(n) for n in os.environ.get("SIZES", "512,1024").split(",")]
TYPES = os.environ.get("TYPES", "D")
FORMS = ["gemmNN", "gemmNT", "gemmTN", "gemmTT", "symmLL", "symmLU", "symmRL", "symmRU",
         *(f"tr{what}{side}{half}{turned}N" for what in ("mm", "sm") for side in "LR" for half in "LU" for turned in "NT")]


def program_text(routines):
    """A program that uses the routines, because only those are compiled."""
    cells = "double" if routines[0][0] == "D" else "float"
    outputs = ", ".join(f"C{k}[n, n] : {cells}" for k in range(len(routines)))
    names = ", ".join(f"C{k} c{k}" for k in range(len(routines)))

    def called(k, name):
        arguments = "a, b, 1" if name[1:3] == "tr" else "a, b, b, 1, 0"
        return f"    {name}(c{k}, {arguments});\n"
    return f"#include <blas3.pbcc>\ntransform Main main from A[n, n] : {cells}, B[n, n] : {cells} to {outputs} {{\n  to({names}) from(A a, B b) {{\n" + \
        "".join(called(k, name) for k, name in enumerate(routines)) + "  }\n}\n"


def measure(tools):
    peer_program = tools.work / "routines"
    call("c++", "-std=c++20", "-O2", os.path.join(os.path.dirname(__file__), "routines.cpp"), "-o", peer_program, "-ldl")
    libraries = [p for p in tools.peers.blas() if p.name == "OpenBLAS"]
    for kind in TYPES:
        routines = [kind + form for form in FORMS]
        source, program = tools.work / f"blas3_{kind}.pbcc", tools.work / f"blas3_{kind}"
        source.write_text(program_text(routines))
        call(tools.pbc, source, "-o", program, "--no-devices")
        for n in SIZES:
            def ours(name):
                return seconds(program, f"--transform={name}", f"--n={n}", "--threads=1", "--time")

            def theirs(library, name):
                return seconds(peer_program, library.library, library.prefix, name, n, env=library.environment(1))
            for name in routines[1:]:
                each = [lambda: ours(name), lambda: ours(routines[0]), *(lambda p=p: theirs(p, name) for p in libraries)]
                all_ = in_turns(tools.rounds, *each)
                # Half of the steps of a product are useful where one matrix is a triangle.
                work = 0.5 if name[1:3] == "tr" else 1
                by_median, by_best = (work * of(all_[1]) / of(all_[0]) for of in (statistics.median, min))
                gflops = 2e-9 * n**3 * work / statistics.median(all_[0])
                row(f"blas3: {name} {n}", f"{gflops:.1f} GFLOP/s", routines[0], f"{by_median:.2f} ({by_best:.2f})", ">= 0.9",
                    verdict(by_median >= 0.9, by_best >= 0.9))
                for library, samples_ in zip(libraries, all_[2:]):
                    by_median, by_best = (of(samples_) / of(all_[0]) for of in (statistics.median, min))
                    row(f"blas3: {name} {n}", f"{gflops:.1f} GFLOP/s", str(library), f"{by_median:.2f} ({by_best:.2f})", ">= 1.0",
                        verdict(by_median >= 1, by_best >= 1))
