# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np
import pytest


@pytest.fixture(autouse=True, scope="session")
def _cache(tmp_path_factory):
    """Programs are compiled into a folder of this run, with the processor alone."""
    patch = pytest.MonkeyPatch()
    patch.setenv("PBC_PYTHON_CACHE", str(tmp_path_factory.mktemp("programs")))
    patch.setenv("PB_DEVICES", "none")
    yield
    patch.undo()


PROGRAM = """
// Twice each number.
transform Twice
from A[n]
to B[n]
{
  B.cell(i) from(A.cell(i) a) { return 2 * a; }
}

// The product of two matrices.
main transform MatMul
from A[k, h], B[w, k]
to C[w, h]
{
  C.cell(x, y) from(A.row(y) a, B.column(x) b) {
    double s = 0;
    for (int i = 0; i < k; ++i)
      s += a.cell(i) * b.cell(i);
    return s;
  }
}

transform Counted
from A[n], Factor
to B[n], Count : int
{
  to(B b, Count c) from(A a, Factor f) {
    c = n;
    for (int i = 0; i < n; ++i)
      b.cell(i) = f * a.cell(i);
  }
}

transform Types
from F[n] : float, I[n] : int, L[n] : long, U[n] : byte
to Sum[n] : long
{
  Sum.cell(i) from(F.cell(i) f, I.cell(i) a, L.cell(i) l, U.cell(i) u) { return (long)f + a + l + u; }
}

transform Grid
from Start
to G[w, h]
{
  G.cell(x, y) from(Start s) { return s + 10 * y + x; }
}

transform Sorted
from A[n]
to B[n]
{
  to(B b) from(A a) {
    if (n > 0 && a.cell(0) < 0)
      throw std::domain_error("no negative numbers");
    for (int i = 0; i < n; ++i)
      b.cell(i) = a.cell(i);
  }
}

transform Endless
from A[n]
to B[n]
{
  to(B b) from(A a) { Endless(b, a); }
}
"""


@pytest.fixture(scope="session")
def program():
    import pbc
    return pbc.compile(PROGRAM)


@pytest.fixture
def numbers():
    return np.random.default_rng(1)
