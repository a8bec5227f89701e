#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of time and the diagonals of a table are given to a device as chains: chains.py PBC.

By the counters (PB_DEVICE_COUNTERS) of programs on the fake device: 100 steps of a stencil are one upload, one download and
one graph; chains that come again are given again; and if a graph cannot be made, the launches go one by one, which is said
once."""
import os, re, subprocess, sys, tempfile
from pathlib import Path

PBC = os.path.abspath(sys.argv[1])
PROGRAM = """
main transform Heat from A[n,n]:int to B[n,n]:int through U<0..100>[n,n]:int {
  U<0>.cell(x,y) from(A.cell(x,y) a) { return a; }
  rule In U<t>.cell(x,y) from(U<t-1>.cell(x,y) c, U<t-1>.cell(x-1,y) l, U<t-1>.cell(x+1,y) r, U<t-1>.cell(x,y-1) u,
      U<t-1>.cell(x,y+1) d) { return (2 * c + l - r + u + d) % 1000; }
  secondary rule Border U<t>.cell(x,y) from(U<t-1>.cell(x,y) c) { return c; }
  B.cell(x,y) from(U<100>.cell(x,y) a) { return a; }
}

transform Table from A[n,n]:int to B[n,n]:int {
  rule In B.cell(x,y) from(A.cell(x,y) a, B.cell(x-1,y) l, B.cell(x,y-1) u, B.cell(x-1,y-1) c) { return (a + l + u - c) % 1000; }
  secondary rule Border B.cell(x,y) from(A.cell(x,y) a) { return a; }
}

transform Again from A[n,n]:int to B[n,n]:int, C[n,n]:int {
  to(B b, C c) from(A a) using(x[n,n]:int) {
    for (int k = 0; k < 20; ++k) Table(x, a);
    Table(b, a);
    Table(c, a);
  }
}
"""
CONFIG = """
[Again]
sequential_cutoff = 0
[Heat]
sequential_cutoff = 0
"place_rule0+In+Border" = "gpu"
place_rule3 = "gpu"
[Table]
sequential_cutoff = 0
"%s" = "gpu"
"""

def run(*words, fake="1", devices="fake"):
    done = subprocess.run(["./chains", "--config=chains.toml", "--hash", "--threads=2", f"--devices={devices}", *words],
                          capture_output=True, text=True, timeout=100,
                          env={**os.environ, "PB_FAKE_DEVICE": fake, "PB_DEVICE_COUNTERS": "1"})
    assert done.returncode == 0, done.stderr
    m = re.search(r": (\d+) launches, (\d+) copies in .*, (\d+) copies out .*, (\d+) graphs given (\d+) times", done.stderr)
    return done.stdout, [int(g) for g in m.groups()] if m else None, done.stderr

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    Path("chains.pbcc").write_text(PROGRAM)
    subprocess.run([PBC, "chains.pbcc", "-o", "chains"], check=True, timeout=100)
    info = subprocess.run(["./chains", "--info"], capture_output=True, text=True, check=True).stdout
    Path("chains.toml").write_text(CONFIG % re.search(r'"(place_[^"]*In[^"]*)"', info[info.index('"Table"'):])[1])

    right = run("--n=32", devices="none")[0]
    # 101 rounds, the first of which is U<0>, and the copy of the last one to B. Only A is brought in.
    got, counters, said = run("--n=32")
    assert got == right and counters == [102, 1, 1, 1, 1], counters
    assert "one by one" not in said, said
    # 40 + 39 - 1 diagonals, which are the same ones each time.
    right = run("--transform=Again", "--n=40", devices="none")[0]
    got, counters, _ = run("--transform=Again", "--n=40")
    launches, _, _, graphs, chains = counters
    assert got == right and launches % 22 == 0 and chains == 22 and graphs <= 6, counters
    # Without graphs.
    got, counters, said = run("--transform=Again", "--n=40", fake="fail=chain:1+")
    assert got == right and counters[3:] == [0, 0] and counters[0] == launches, counters
    note = "note: launches are given to fake device 0 one by one: the fake device makes no graph, as was asked for"
    assert said.count(note) == 1, said
