#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the examples in C and in C++ against pbc where it is installed, and blurs with them. samples.py BUILD SAMPLES"""
import math, os, subprocess, sys, tempfile

BUILD, SAMPLES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
GREY = os.path.join(SAMPLES, "data", "dandelion.pgm")

def run(*command, status=0):
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr

def read(name):
    """Width, height and the pixels of a picture of bytes, each the tuple of its colours."""
    with open(name, "rb") as file:
        kind, size, most, cells = file.read().split(b"\n", 3)
    w, h = map(int, size.split())
    colours = {b"P5": 1, b"P6": 3}[kind]
    assert most == b"255" and len(cells) == w * h * colours, (name, kind, size, most, len(cells))
    return w, h, [tuple(cells[i:i + colours]) for i in range(0, len(cells), colours)]

def blurred(w, h, pixels, x, y, colour):
    """One cell by the definition: a Gaussian of deviation 3 that ends after 9 cells, edges repeated."""
    weights = [math.exp(-(i / 3) ** 2 / 2) for i in range(-9, 10)]
    at = lambda x, y: pixels[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)][colour]
    return sum(weights[i] * weights[j] * at(x + i - 9, y + j - 9) for i in range(19) for j in range(19)) / sum(weights) ** 2

def check(before, after):
    w, h, pixels = read(before)
    width, height, both = read(after)
    assert (width, height) == (2 * w, h), (width, height)
    assert all(both[y * width:y * width + w] == pixels[y * w:(y + 1) * w] for y in range(h)), "the left half is not the photograph"
    for x, y in [(0, 0), (w - 1, 0), (0, h - 1), (w - 1, h - 1), (w // 2, h // 2), (5, 100), (200, 30), (w - 4, 90)]:
        for colour, got in enumerate(both[y * width + w + x]):
            assert abs(got - blurred(w, h, pixels, x, y, colour)) <= 0.5 + 1e-9, (x, y, colour, got)

def coloured(name):
    w, h, pixels = read(GREY)
    with open(name, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (w, h) + bytes(c for p, in pixels for c in (p, 255 - p, p // 2)))

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    run("cmake", "--install", BUILD, "--prefix", "prefix")
    coloured("colours.ppm")
    for language in ("c", "cxx"):
        # Its default generator is Make, the other one Ninja: their rules for files that are made differ.
        run("cmake", "-S", os.path.join(SAMPLES, "embed", language), "-B", language, "-G", "Ninja" if language == "c" else "Unix Makefiles",
            f"-DCMAKE_PREFIX_PATH={folder}/prefix", "-DSECONDS_OF_TUNING=1")
        said = run("cmake", "--build", language, "--parallel", "2")
        assert "times as fast as the default" in said, said
        with open(f"{language}/convolution.cfg", encoding="utf-8") as file:
            assert "TwoPasses" in file.read()
        assert "tune" not in run("cmake", "--build", language).replace("convolution_tuned", "") # once
        for source, target in ((GREY, f"{language}.pgm"), ("colours.ppm", f"{language}.ppm")):
            assert "ms for one blur" in run(f"{language}/blur", source, target)
            check(source, target)
        assert "no-picture.pgm" in run(f"{language}/blur", "no-picture.pgm", status=1)
    for kind in ("pgm", "ppm"):
        assert read(f"c.{kind}") == read(f"cxx.{kind}")
