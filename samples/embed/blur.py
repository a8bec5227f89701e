#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blurs a photograph by a program that is tuned once and called many times.

  pip install . pillow
  python samples/embed/blur.py [IN.png [BEFORE-AND-AFTER.png]]
"""
import sys
import time
from pathlib import Path

import numpy as np
import pbc
from PIL import Image

SAMPLES = Path(__file__).resolve().parent.parent


def gaussian(deviation):
    """The weights of a Gaussian kernel, which reaches three deviations to each side."""
    x = np.arange(-3 * deviation, 3 * deviation + 1, dtype=np.float64)
    weights = np.exp(-(x / deviation) ** 2 / 2)
    return weights / weights.sum()


def blurred(program, picture, kernel):
    """The picture, with its edge repeated so that the result has the same size."""
    return program.SeparableConvolution(np.pad(picture, len(kernel) // 2, mode="edge"), kernel)


def main(source=SAMPLES / "data" / "dandelion.png", target="before-and-after.png"):
    picture = np.asarray(Image.open(source).convert("L"), dtype=np.float64)
    kernel = gaussian(3)
    program = pbc.compile(SAMPLES / "convolution.pbcc")

    h, w = picture.shape
    border = len(kernel) - 1
    found = program.tune(size={"w": w + border, "h": h + border, "KW": len(kernel)}, budget=5)
    print(f"tuned: {found.get('speedup', 1):.1f} times as fast as by default; {', '.join(found['choices']) or 'the defaults'}")

    calls = 100
    begin = time.perf_counter()
    for _ in range(calls):
        after = blurred(program, picture, kernel)
    print(f"{w} x {h} pixels, {len(kernel)} weights: {(time.perf_counter() - begin) / calls * 1000:.2f} ms for one blur")
    Image.fromarray(np.hstack([picture, after]).round().astype(np.uint8)).save(target)
    print(f"before and after: {target}")


if __name__ == "__main__":
    main(*sys.argv[1:])
