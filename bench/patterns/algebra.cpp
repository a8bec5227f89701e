// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of vectors and matrices.
#include "nests.h"

namespace {

/// c = beta * c + alpha * a * b: rows of b are added to rows of c, four at once.
void product(long n, double alpha, const double *__restrict a, const double *__restrict b, double beta,
             double *__restrict c) {
  for (long y = 0; y < n; ++y)
    for (long x = 0; x < n; ++x)
      c[y * n + x] = beta == 0 ? 0 : c[y * n + x] * beta;
  constexpr long kRows = 64;
  for (long k0 = 0; k0 < n; k0 += kRows)
    for (long y = 0; y < n; ++y) {
      double *__restrict row = c + y * n;
      const long end = k0 + kRows < n ? k0 + kRows : n;
      long k = k0;
      for (; k + 4 <= end; k += 4) {
        const double f0 = alpha * a[y * n + k], f1 = alpha * a[y * n + k + 1], f2 = alpha * a[y * n + k + 2],
                     f3 = alpha * a[y * n + k + 3];
        const double *__restrict p = b + k * n;
        for (long x = 0; x < n; ++x)
          row[x] = row[x] + f0 * p[x] + f1 * p[n + x] + f2 * p[2 * n + x] + f3 * p[3 * n + x];
      }
      for (; k < end; ++k)
        for (long x = 0; x < n; ++x)
          row[x] += alpha * a[y * n + k] * b[k * n + x];
    }
}

// alpha, beta, A, B, C => alpha A B + beta C
void gemm(Operands &o) {
  o.out[0] = o.in[4];
  product(o.n, o.in[0][0], o.in[2].data(), o.in[3].data(), o.in[1][0], o.out[0].data());
}

// alpha, beta, A, B, C, D => alpha A B C + beta D
void twoProducts(Operands &o) {
  std::vector<double> t(o.n * o.n);
  product(o.n, o.in[0][0], o.in[2].data(), o.in[3].data(), 0, t.data());
  o.out[0] = o.in[5];
  product(o.n, 1, t.data(), o.in[4].data(), o.in[1][0], o.out[0].data());
}

// A, B, C, D => (A B) (C D)
void threeProducts(Operands &o) {
  std::vector<double> t(o.n * o.n), u(o.n * o.n);
  product(o.n, 1, o.in[0].data(), o.in[1].data(), 0, t.data());
  product(o.n, 1, o.in[2].data(), o.in[3].data(), 0, u.data());
  product(o.n, 1, t.data(), u.data(), 0, o.out[0].data());
}

// A[r, q, p], C[s, p]: sums over the last one, in place.
void cubeProduct(Operands &o) {
  const long n = o.n;
  std::vector<double> sum(n);
  for (long r = 0; r < n * n; ++r) {
    double *__restrict row = o.in[0].data() + r * n;
    double *__restrict s = sum.data();
    for (long p = 0; p < n; ++p)
      s[p] = 0;
    for (long k = 0; k < n; ++k) {
      const double *__restrict c = o.in[1].data() + k * n;
      for (long p = 0; p < n; ++p)
        s[p] += row[k] * c[p];
    }
    for (long p = 0; p < n; ++p)
      row[p] = s[p];
  }
  o.out[0] = o.in[0];
}

constexpr long kRows = 8;

/// y[r] += sum of a[r, k] x[k]: eight rows at once.
void timesVector(long n, const double *__restrict a, const double *__restrict x, double *__restrict y) {
  long r = 0;
  for (; r + kRows <= n; r += kRows) {
    double s[kRows];
    for (long k = 0; k < kRows; ++k)
      s[k] = y[r + k];
    for (long c = 0; c < n; ++c)
      for (long k = 0; k < kRows; ++k)
        s[k] += a[(r + k) * n + c] * x[c];
    for (long k = 0; k < kRows; ++k)
      y[r + k] = s[k];
  }
  for (; r < n; ++r)
    for (long c = 0; c < n; ++c)
      y[r] += a[r * n + c] * x[c];
}

/// y[c] += sum of a[k, c] x[k]
void transposedTimesVector(long n, const double *__restrict a, const double *__restrict x,
                           double *__restrict y) {
  long k = 0;
  for (; k + 4 <= n; k += 4)
    for (long c = 0; c < n; ++c)
      y[c] = y[c] + a[k * n + c] * x[k] + a[(k + 1) * n + c] * x[k + 1] + a[(k + 2) * n + c] * x[k + 2] +
             a[(k + 3) * n + c] * x[k + 3];
  for (; k < n; ++k)
    for (long c = 0; c < n; ++c)
      y[c] += a[k * n + c] * x[k];
}

/// Both at once: a goes through the caches once.
void bothTimesVector(long n, const double *__restrict a, const double *__restrict p, double *__restrict q,
                     const double *__restrict r, double *__restrict s) {
  for (long y = 0; y < n; y += kRows) {
    const long rows = y + kRows <= n ? kRows : n - y;
    if (rows < kRows) {
      for (long k = y; k < n; ++k)
        for (long c = 0; c < n; ++c) {
          q[k] += a[k * n + c] * p[c];
          s[c] += a[k * n + c] * r[k];
        }
      return;
    }
    double sums[kRows] = {};
    for (long k = 0; k < kRows; ++k)
      sums[k] = q[y + k];
    for (long c = 0; c < n; ++c)
      for (long k = 0; k < kRows; ++k)
        sums[k] += a[(y + k) * n + c] * p[c];
    for (long k = 0; k < kRows; ++k)
      q[y + k] = sums[k];
    for (long c = 0; c < n; ++c) {
      double t = s[c];
      for (long k = 0; k < kRows; ++k)
        t += a[(y + k) * n + c] * r[y + k];
      s[c] = t;
    }
  }
}

// A, x => A' (A x)
void atax(Operands &o) {
  std::vector<double> t(o.n);
  timesVector(o.n, o.in[0].data(), o.in[1].data(), t.data());
  transposedTimesVector(o.n, o.in[0].data(), t.data(), o.out[0].data());
}

// A, p, r => A p, A' r
void bicg(Operands &o) {
  bothTimesVector(o.n, o.in[0].data(), o.in[1].data(), o.out[0].data(), o.in[2].data(), o.out[1].data());
}

// A, x1, x2, y1, y2 => x1 + A y1, x2 + A' y2
void mvt(Operands &o) {
  o.out[0] = o.in[1];
  o.out[1] = o.in[2];
  bothTimesVector(o.n, o.in[0].data(), o.in[3].data(), o.out[0].data(), o.in[4].data(), o.out[1].data());
}

// alpha, beta, A, u1, v1, u2, v2, y, z => w, x of B = A + u1 v1' + u2 v2', x = beta B' y + z, w = alpha B x
void gemver(Operands &o) {
  const long n = o.n;
  double *__restrict a = o.in[2].data(), *__restrict x = o.out[1].data();
  const double *u1 = o.in[3].data(), *v1 = o.in[4].data(), *u2 = o.in[5].data(), *v2 = o.in[6].data(),
               *y = o.in[7].data();
  const double alpha = o.in[0][0], beta = o.in[1][0];
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j) {
      a[i * n + j] = a[i * n + j] + u1[i] * v1[j] + u2[i] * v2[j];
      x[j] += beta * a[i * n + j] * y[i];
    }
  for (long j = 0; j < n; ++j)
    x[j] += o.in[8][j];
  timesVector(n, a, x, o.out[0].data());
  for (double &w : o.out[0])
    w *= alpha;
}

// alpha, beta, A, B, x => alpha A x + beta B x
void gesummv(Operands &o) {
  std::vector<double> t(o.n), u(o.n);
  timesVector(o.n, o.in[2].data(), o.in[4].data(), t.data());
  timesVector(o.n, o.in[3].data(), o.in[4].data(), u.data());
  for (long i = 0; i < o.n; ++i)
    o.out[0][i] = o.in[0][0] * t[i] + o.in[1][0] * u[i];
}

void transposed(long n, const double *__restrict a, double *__restrict b) {
  for (long y = 0; y < n; ++y)
    for (long x = 0; x < n; ++x)
      b[x * n + y] = a[y * n + x];
}

// alpha, beta, A, C => the lower triangle of alpha A A' + beta C, C above
void syrk(Operands &o) {
  const long n = o.n;
  std::vector<double> t(n * n);
  transposed(n, o.in[2].data(), t.data());
  o.out[0] = o.in[3];
  double *__restrict c = o.out[0].data();
  const double *__restrict a = o.in[2].data(), *__restrict b = t.data();
  for (long y = 0; y < n; ++y) {
    for (long x = 0; x <= y; ++x)
      c[y * n + x] *= o.in[1][0];
    for (long k = 0; k < n; ++k)
      for (long x = 0; x <= y; ++x)
        c[y * n + x] += o.in[0][0] * a[y * n + k] * b[k * n + x];
  }
}

// alpha, beta, A, B, C => the lower triangle of alpha (A B' + B A') + beta C
void syr2k(Operands &o) {
  const long n = o.n;
  std::vector<double> t(n * n), u(n * n);
  transposed(n, o.in[2].data(), t.data());
  transposed(n, o.in[3].data(), u.data());
  o.out[0] = o.in[4];
  double *__restrict c = o.out[0].data();
  const double *__restrict a = o.in[2].data(), *__restrict b = o.in[3].data(), *__restrict at = t.data(),
                           *__restrict bt = u.data();
  for (long y = 0; y < n; ++y) {
    for (long x = 0; x <= y; ++x)
      c[y * n + x] *= o.in[1][0];
    for (long k = 0; k < n; ++k)
      for (long x = 0; x <= y; ++x)
        c[y * n + x] += o.in[0][0] * (at[k * n + x] * b[y * n + k] + bt[k * n + x] * a[y * n + k]);
  }
}

// alpha, beta, A (lower, symmetric), B, C => alpha A B + beta C
void symm(Operands &o) {
  const long n = o.n;
  std::vector<double> whole(n * n);
  for (long y = 0; y < n; ++y)
    for (long x = 0; x <= y; ++x)
      whole[y * n + x] = whole[x * n + y] = o.in[2][y * n + x];
  o.out[0] = o.in[4];
  product(n, o.in[0][0], whole.data(), o.in[3].data(), o.in[1][0], o.out[0].data());
}

// alpha, A (lower, unit diagonal), B => alpha A' B
void trmm(Operands &o) {
  const long n = o.n;
  double *__restrict b = o.in[2].data();
  const double *__restrict a = o.in[1].data();
  for (long y = 0; y < n; ++y) {
    for (long k = y + 1; k < n; ++k)
      for (long x = 0; x < n; ++x)
        b[y * n + x] += a[k * n + y] * b[k * n + x];
    for (long x = 0; x < n; ++x)
      b[y * n + x] *= o.in[0][0];
  }
  o.out[0] = o.in[2];
}

} // namespace

Nests algebra() {
  return {{"gemm", {"ssmmm", "m", gemm}},
          {"twoProducts", {"ssmmmm", "m", twoProducts}},
          {"threeProducts", {"mmmm", "m", threeProducts}},
          {"cubeProduct", {"cm", "c", cubeProduct}},
          {"atax", {"mv", "v", atax}},
          {"bicg", {"mvv", "vv", bicg}},
          {"mvt", {"mvvvv", "vv", mvt}},
          {"gemver", {"ssmvvvvvv", "vv", gemver}},
          {"gesummv", {"ssmmv", "v", gesummv}},
          {"syrk", {"ssmm", "m", syrk}},
          {"syr2k", {"ssmmm", "m", syr2k}},
          {"symm", {"ssmmm", "m", symm}},
          {"trmm", {"smm", "m", trmm}}};
}
