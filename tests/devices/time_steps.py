#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time-stepped rules of two and three dimensions have a device version, found in little time, which computes what the
processor does: time_steps.py PBC. Boxes of parts of such points are too much for isl (half a minute): these steps are
launched as a whole."""
import os, subprocess, sys, tempfile

PBC = os.path.abspath(sys.argv[1])

PROGRAMS = {
    "heat": """
transform Heat param k from A[n,n,n] to B[n,n,n] through U<0..k>[n,n,n] {
  U<0>.cell(x,y,z) from(A.cell(x,y,z) a) { return a; }
  rule In U<t>.cell(x,y,z) from(U<t-1>.cell(x,y,z) c, U<t-1>.cell(x-1,y,z) l, U<t-1>.cell(x+1,y,z) r,
      U<t-1>.cell(x,y-1,z) u, U<t-1>.cell(x,y+1,z) d, U<t-1>.cell(x,y,z-1) e, U<t-1>.cell(x,y,z+1) f) {
    return c + 0.1 * (l + r + u + d + e + f - 6 * c);
  }
  secondary rule Border U<t>.cell(x,y,z) from(U<t-1>.cell(x,y,z) c) { return c; }
  B.cell(x,y,z) from(U<k>.cell(x,y,z) a) { return a; }
}""",
    "wave": """
transform Wave param k from A[n,n], C[n,n] to B[n,n] through U<0..k+1>[n,n] {
  U<0>.cell(x,y) from(A.cell(x,y) a) { return a; }
  U<1>.cell(x,y) from(C.cell(x,y) a) { return a; }
  rule In U<t>.cell(x,y) from(U<t-1>.cell(x,y) c, U<t-1>.cell(x-1,y) l, U<t-1>.cell(x+1,y) r, U<t-1>.cell(x,y-1) u,
      U<t-1>.cell(x,y+1) d, U<t-2>.cell(x,y) old) { return 2 * c - old + 0.1 * (l + r + u + d - 4 * c); }
  secondary rule Border U<t>.cell(x,y) from(U<t-1>.cell(x,y) c, U<t-2>.cell(x,y) old) { return c - old; }
  B.cell(x,y) from(U<k>.cell(x,y) a) { return a; }
}""",
    "two_fields": """
transform Two param k from A[n,n] to B[n,n] through U<0..k>[n,n], V<0..k>[n,n] {
  U<0>.cell(x,y) from(A.cell(x,y) a) { return a; }
  V<0>.cell(x,y) from(A.cell(x,y) a) { return 1 - a; }
  rule Iu U<t>.cell(x,y) from(U<t-1>.cell(x,y) c, U<t-1>.cell(x-1,y) l, U<t-1>.cell(x+1,y) r, V<t-1>.cell(x,y) v) {
    return c + 0.1 * (l + r - 2 * c) - 0.01 * v;
  }
  rule Iv V<t>.cell(x,y) from(V<t-1>.cell(x,y) c, V<t-1>.cell(x,y-1) l, V<t-1>.cell(x,y+1) r, U<t-1>.cell(x,y) v) {
    return c + 0.1 * (l + r - 2 * c) + 0.01 * v;
  }
  secondary rule Bu U<t>.cell(x,y) from(U<t-1>.cell(x,y) c) { return c; }
  secondary rule Bv V<t>.cell(x,y) from(V<t-1>.cell(x,y) c) { return c; }
  B.cell(x,y) from(U<k>.cell(x,y) a, V<k>.cell(x,y) b) { return a + b; }
}""",
    "gauss_seidel": """
transform GaussSeidel param k from A[n,n]:float to B[n,n]:float through U<0..k>[n,n]:float {
  U<0>.cell(x,y) from(A.cell(x,y) a) { return a; }
  rule In U<t>.cell(x,y) from(U<t>.cell(x-1,y) l, U<t>.cell(x,y-1) u, U<t-1>.cell(x+1,y) r, U<t-1>.cell(x,y+1) d) {
    return (l + r + u + d) / 4;
  }
  secondary rule Border U<t>.cell(x,y) from(U<t-1>.cell(x,y) c) { return c; }
  B.cell(x,y) from(U<k>.cell(x,y) a) { return a; }
}""",
    # Two boxes of one matrix, one along slanted lines: without a formula for its parts.
    "sheared": """
transform Sheared from A[n,n] to S[n,2*n-1] {
  rule In S.cell(x,x+y) from(A.cell(x,y) a, A.cell(y,x) b) { return a - 2 * b; }
  secondary rule Rest S.cell(x,y) from() { return x - y; }
}""",
}

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name, text in PROGRAMS.items():
        with open(f"{name}.pbcc", "w") as f:
            f.write(text)
        # 15: what has no device version says why; here each rule has one.
        said = subprocess.run([PBC, "explain", f"{name}.pbcc"], capture_output=True, text=True, check=True, timeout=60).stdout
        assert "not on a device" not in said and "device: place_" in said, said
        subprocess.run([PBC, f"{name}.pbcc", "-o", name], check=True, timeout=100)
        for n in (1, 2, 3, 9):
            done = subprocess.run([f"./{name}", "--check", f"--n={n}", "--devices=fake"], capture_output=True, text=True,
                                  timeout=200, env=dict(os.environ, PB_FAKE_DEVICE="1"))
            gpu = [line for line in done.stdout.splitlines() if ": gpu" in line]
            assert done.returncode == 0 and gpu, (name, n, done.stdout + done.stderr)
