// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Factorisations and solves.
#include "nests.h"
#include <cmath>

namespace {

// The lower factor, zeros above; right-looking, so that the innermost loop runs along rows.
void cholesky(Operands &o) {
  const long n = o.n;
  double *__restrict a = o.in[0].data();
  std::vector<double> column(n);
  for (long k = 0; k < n; ++k) {
    a[k * n + k] = std::sqrt(a[k * n + k]);
    for (long y = k + 1; y < n; ++y)
      column[y] = a[y * n + k] /= a[k * n + k];
    const double *__restrict c = column.data();
    for (long y = k + 1; y < n; ++y)
      for (long x = k + 1; x <= y; ++x)
        a[y * n + x] -= c[y] * c[x];
  }
  for (long y = 0; y < n; ++y)
    for (long x = 0; x < n; ++x)
      o.out[0][y * n + x] = x <= y ? a[y * n + x] : 0;
}

void factor(long n, double *__restrict a) {
  for (long k = 0; k < n; ++k)
    for (long y = k + 1; y < n; ++y) {
      const double f = a[y * n + k] /= a[k * n + k];
      for (long x = k + 1; x < n; ++x)
        a[y * n + x] -= f * a[k * n + x];
    }
}

void lu(Operands &o) {
  factor(o.n, o.in[0].data());
  o.out[0] = o.in[0];
}

// A, b => the solution of A x = b
void luSolve(Operands &o) {
  const long n = o.n;
  double *a = o.in[0].data();
  factor(n, a);
  std::vector<double> y(n);
  for (long i = 0; i < n; ++i) {
    double s = o.in[1][i];
    for (long k = 0; k < i; ++k)
      s -= a[i * n + k] * y[k];
    y[i] = s;
  }
  for (long i = n - 1; i >= 0; --i) {
    double s = y[i];
    for (long k = i + 1; k < n; ++k)
      s -= a[i * n + k] * o.out[0][k];
    o.out[0][i] = s / a[i * n + i];
  }
}

// L, b => the solution of L x = b: eight rows at once, but for their own triangle.
void triangularSolve(Operands &o) {
  const long n = o.n;
  const double *__restrict l = o.in[0].data();
  double *__restrict x = o.out[0].data();
  constexpr long kRows = 8;
  for (long first = 0; first < n; first += kRows) {
    const long rows = first + kRows <= n ? kRows : n - first;
    double s[kRows];
    for (long r = 0; r < rows; ++r)
      s[r] = o.in[1][first + r];
    if (rows == kRows)
      for (long k = 0; k < first; ++k)
        for (long r = 0; r < kRows; ++r)
          s[r] -= l[(first + r) * n + k] * x[k];
    else
      for (long k = 0; k < first; ++k)
        for (long r = 0; r < rows; ++r)
          s[r] -= l[(first + r) * n + k] * x[k];
    for (long r = 0; r < rows; ++r) {
      for (long k = first; k < first + r; ++k)
        s[r] -= l[(first + r) * n + k] * x[k];
      x[first + r] = s[r] / l[(first + r) * n + first + r];
    }
  }
}

// A => Q, R: columns one after the other; what the inner loops run along is contiguous.
void gramSchmidt(Operands &o) {
  const long n = o.n;
  double *__restrict a = o.in[0].data(), *__restrict q = o.out[0].data(), *__restrict r = o.out[1].data();
  for (long k = 0; k < n; ++k) {
    double norm = 0;
    for (long i = 0; i < n; ++i)
      norm += a[i * n + k] * a[i * n + k];
    r[k * n + k] = std::sqrt(norm);
    for (long i = 0; i < n; ++i)
      q[i * n + k] = a[i * n + k] / r[k * n + k];
    for (long i = 0; i < n; ++i)
      for (long j = k + 1; j < n; ++j)
        r[k * n + j] += q[i * n + k] * a[i * n + j];
    for (long i = 0; i < n; ++i)
      for (long j = k + 1; j < n; ++j)
        a[i * n + j] -= q[i * n + k] * r[k * n + j];
  }
}

// Levinson's recursion for a symmetric Toeplitz matrix.
void toeplitz(Operands &o) {
  const long n = o.n;
  const double *r = o.in[0].data();
  std::vector<double> zs(n);
  double *__restrict y = o.out[0].data(), *__restrict z = zs.data();
  double alpha = -r[0], beta = 1;
  y[0] = -r[0];
  for (long k = 1; k < n; ++k) {
    beta = (1 - alpha * alpha) * beta;
    double sum = 0;
    for (long i = 0; i < k; ++i)
      sum += r[k - i - 1] * y[i];
    alpha = -(r[k] + sum) / beta;
    for (long i = 0; i < k; ++i)
      z[i] = y[i] + alpha * y[k - i - 1];
    for (long i = 0; i < k; ++i)
      y[i] = z[i];
    y[k] = alpha;
  }
}

} // namespace

Nests factors() {
  return {{"cholesky", {"d", "m", cholesky}},        {"lu", {"d", "m", lu}},
          {"luSolve", {"dv", "v", luSolve}},         {"triangularSolve", {"dv", "v", triangularSolve}},
          {"gramSchmidt", {"d", "mm", gramSchmidt}}, {"toeplitz", {"v", "v", toeplitz}}};
}
