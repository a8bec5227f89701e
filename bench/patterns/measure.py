# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Natural spellings of common programs against the best loop nests by hand, one thread. Each result is compared first.

The `.pbcc` files hold several spellings of each pattern. Each is compiled alone, with the transforms that it calls.
"""
import re
import struct
import sys
import time
from pathlib import Path
from peers import compiler
from samples import call, compared, in_turns, row, seconds

HERE = Path(__file__).resolve().parent
BAR = 1.1
LONGEST_COMPILATION = 2.0  # seconds
SMALL = (38, 6)  # n and the steps with which results are compared
TOLERANCE = 1e-7

# nest: [(n, steps) in memory, in the second cache, ...], file, spellings
PATTERNS = {
    "jacobi1": ([(400000, 100), (40000, 200)], "time", "Line LineOfCall LineTwoArrays LineAhead LineThirds LineHalves LineBody LineBorders"),
    "jacobi2": ([(1300, 100), (300, 100)], "time", "Plane PlaneOfCall PlaneOfCalls PlaneBorders PlaneCube PlaneBody PlaneSteps PlaneRate PlaneTwoArrays"),
    "heat3": ([(120, 50), (40, 100)], "time", "Cube CubeTwoArrays"),
    "sweepsInPlace": ([(600, 20), (200, 50)], "time", "InPlace InPlaceOfCall InPlaceSweeps"),
    "fields": ([(1000, 50), (250, 100)], "fields", "Fields FieldsOfCalls FieldsStep FieldsBody FieldsWhere"),
    "alternating": ([(600, 20), (180, 20)], "fields", "Alternating AlternatingCalls AlternatingBody AlternatingOnce"),
    "cholesky": ([(1000, 0), (300, 0)], "factors", "Cholesky CholeskyViews CholeskyRows CholeskyVersions CholeskyBody CholeskyRight"),
    "lu": ([(800, 0), (300, 0)], "factors", "Lu LuViews LuVersions LuTwoMatrices LuBody LuRight"),
    "luSolve": ([(800, 0), (300, 0)], "factors", "LuSolve"),
    "triangularSolve": ([(4000, 0), (400, 0)], "factors", "Solve SolveRegion SolveViews SolveVersions SolveBody SolvePartial"),
    "gramSchmidt": ([(600, 0), (250, 0)], "factors", "Gram GramRegions GramBody GramColumns GramOfCalls"),
    "toeplitz": ([(4000, 0), (1000, 0)], "factors", "Toeplitz ToeplitzVersions ToeplitzBody"),
    "gemm": ([(800, 0), (300, 0)], "algebra", "Gemm GemmAfter GemmVersions GemmTwoRules GemmBody"),
    "twoProducts": ([(700, 0), (250, 0)], "algebra", "Two TwoCalls"),
    "threeProducts": ([(600, 0), (250, 0)], "algebra", "Three ThreeCalls"),
    "cubeProduct": ([(120, 0), (50, 0)], "algebra", "CubeProduct CubeWhole CubeSum"),
    "atax": ([(4000, 0), (400, 0)], "algebra", "Atax AtaxVersions AtaxBody AtaxCalls AtaxWhole"),
    "bicg": ([(4000, 0), (400, 0)], "algebra", "Bicg"),
    "mvt": ([(4000, 0), (400, 0)], "algebra", "Mvt MvtBodies"),
    "gemver": ([(4000, 0), (400, 0)], "algebra", "Gemver"),
    "gesummv": ([(3000, 0), (300, 0)], "algebra", "Gesummv GesummvRules"),
    "syrk": ([(800, 0), (300, 0)], "algebra", "Syrk SyrkVersions SyrkBody"),
    "syr2k": ([(700, 0), (250, 0)], "algebra", "Syr2k"),
    "symm": ([(700, 0), (250, 0)], "algebra", "Symm SymmWhole SymmRegions"),
    "trmm": ([(800, 0), (300, 0)], "algebra", "Trmm TrmmColumns TrmmBody"),
    "shortestPaths": ([(700, 0), (250, 0)], "programs", "Paths PathsMin PathsOfCall PathsCube PathsBody"),
    "matrixChain": ([(1000, 0), (300, 0)], "programs", "Chain ChainMin ChainTwice ChainBody"),
    "folding": ([(1000, 0), (300, 0)], "programs", "Folding FoldingCells FoldingBody"),
    "covariance": ([(800, 0), (250, 0)], "programs", "Covariance CovarianceWhole CovarianceBody"),
    "correlation": ([(800, 0), (250, 0)], "programs", "Correlation CorrelationRows"),
    "alongRows": ([(4000, 0), (400, 0)], "programs", "RowsOf RowsIf RowsWhole"),
    "several": ([(4000, 0), (400, 0)], "programs", "Several SeveralTogether SeveralShared"),
    "twoDirections": ([(2000, 0), (300, 0)], "images", "Filter FilterBorders FilterRows FilterCalls"),
    "runningAlongRows": ([(3000, 0), (400, 0)], "images", "Running RunningFirst RunningOptional RunningRows RunningBody"),
    "transposition": ([(4096, 0), (3000, 0), (400, 0)], "images", "Transposed TransposedRows TransposedColumns TransposedBody TransposedTo"),
    "grey": ([(2000, 0), (600, 0)], "images", "Grey GreyRegion GreyShift GreyRow GreyBody"),
    "everySecond": ([(3000, 0), (400, 0)], "images", "Pairs PairsColumns PairsTemporaries PairsLast PairsTogether PairsRegion PairsWhere PairsRows"),
}


def transforms(file):
    """The texts of the file's transforms by name, and its macros."""
    text = (HERE / f"{file}.pbcc").read_text()
    blocks = re.split(r"^(?=transform |//|#define)", text, flags=re.M)
    return ({m[1]: b for b in blocks if (m := re.match(r"transform (\w+)", b))}, "".join(b for b in blocks if b.startswith("#define")))


def program(file, name):
    """The text of one spelling with the transforms that it calls."""
    parts, macros = transforms(file)
    needed = [name]
    for one in needed:
        needed += [k for k in parts if k not in needed and re.search(rf"\b{k}\(", parts[one])]
    return macros + "".join(("main " if k == name else "") + parts[k] for k in parts if k in needed)


def cells(path):
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    kind = re.search(rb"'descr': '(.*?)'", data[:start])[1].decode()
    code, size = {"<f8": ("d", 8), "|u1": ("B", 1)}[kind]
    return struct.unpack(f"<{(len(data) - start) // size}{code}", data[start:])


def arguments(folder, steps):
    return ([steps] if steps else []) + sorted(folder.glob("in*.npy"), key=lambda p: (len(p.name), p.name))


def check(tools, by_hand, nest, name, binary):
    """Ends the run if the program does not compute what the loops by hand do."""
    folder = tools.work / f"small-{nest}"
    if not folder.exists():
        folder.mkdir()
        call(by_hand, nest, *SMALL, "--write", folder)
    wanted = sorted(folder.glob("out*.npy"))
    found = [folder / f"of-{name}-{p.name}" for p in wanted]
    steps = SMALL[1] if PATTERNS[nest][0][0][1] else 0
    call(binary, "--noconfig", "--threads=1", "--devices=none", *arguments(folder, steps), *found)
    for a, b in zip(map(cells, wanted), map(cells, found)):
        scale = max(map(abs, a)) or 1
        if len(a) != len(b) or not all(abs(x - y) <= TOLERANCE * scale for x, y in zip(a, b)):
            at = next((k for k, (x, y) in enumerate(zip(a, b)) if not abs(x - y) <= TOLERANCE * scale), -1)
            sys.exit(f"bench/run: {name} computes something else than the loops `{nest}` at cell {at}: {b[at]}, not {a[at]}")


def measure(tools):
    by_hand = tools.work / "by_hand"
    sources = sorted(HERE.glob("*.cpp"))
    call("clang++-19", "-std=c++20", "-O3", "-march=native", *sources, "-o", by_hand)
    peer, slowest = compiler("clang++-19"), []
    try:
        for nest, (sizes, file, spellings) in PATTERNS.items():
            binaries = {}
            for name in spellings.split():
                source, binaries[name] = tools.work / f"{name}.pbcc", tools.work / name
                source.write_text(program(file, name))
                begin = time.monotonic()
                call(tools.pbc, "--no-cache", source, "-o", binaries[name])
                slowest.append((time.monotonic() - begin, name))
                check(tools, by_hand, nest, name, binaries[name])
            for n, steps in sizes[-1:] if tools.rounds == 1 else sizes:
                folder = tools.work / f"{nest}-{n}"
                folder.mkdir()
                call(by_hand, nest, n, steps, "--write", folder)
                runs = [lambda: seconds(by_hand, nest, n, steps)]
                for name, binary in binaries.items():
                    command = [binary, "--noconfig", "--time", "--threads=1", "--devices=none", *arguments(folder, steps)]
                    runs.append(lambda command=command: seconds(*command))
                hand, *ours = in_turns(1, *runs)
                for name, samples in zip(binaries, ours):
                    compared(f"patterns: {nest}, {name}, {n}", samples, hand, BAR, against=peer)
                for path in folder.iterdir():
                    path.unlink()
    finally:
        if slowest:
            longest, name = max(slowest)
            row("patterns: compiling the slowest of them", f"{longest:.2f} s ({name})", "", "", f"<= {LONGEST_COMPILATION} s",
                longest <= LONGEST_COMPILATION)
