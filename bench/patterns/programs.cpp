// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dynamic programs, statistics and reductions.
#include "nests.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace {

// D[y, x] = the least of D[y, k] + D[k, x], one k after the other.
void shortestPaths(Operands &o) {
  const long n = o.n;
  double *d = o.in[0].data();
  for (long k = 0; k < n; ++k)
    for (long y = 0; y < n; ++y) {
      double *__restrict row = d + y * n;
      const double *__restrict via = d + k * n;
      const double f = row[k];
      if (y == k)
        continue;
      for (long x = 0; x < n; ++x)
        row[x] = f + via[x] < row[x] ? f + via[x] : row[x];
    }
  o.out[0] = o.in[0];
}

// The cheapest order of a chain of products, M[i, j] for all parts: rows from below, so that k is outside of j.
void matrixChain(Operands &o) {
  const long n = o.n - 1;
  const double *__restrict p = o.in[0].data();
  std::vector<double> m(n * n);
  for (long i = n - 1; i >= 0; --i) {
    double *__restrict row = m.data() + i * n;
    for (long j = i + 1; j < n; ++j)
      row[j] = std::numeric_limits<double>::infinity();
    for (long k = i; k < n; ++k) {
      const double *__restrict below = m.data() + (k + 1) * n;
      const double f = row[k], g = p[i] * p[k + 1];
      for (long j = k + 1; j < n; ++j) {
        const double c = f + below[j] + g * p[j + 1];
        row[j] = c < row[j] ? c : row[j];
      }
    }
  }
  o.out[0][0] = m[n - 1];
}

// The most pairs in a folded string: T[i, j] from the left, below, the diagonal, and all ways to cut in two.
void folding(Operands &o) {
  const long n = o.n;
  const double *__restrict s = o.in[0].data();
  double *__restrict t = o.out[0].data();
  const auto pairs = [](double a, double b) { return std::fabs(a + b - 1) < 0.25 ? 1.0 : 0.0; };
  for (long i = n - 1; i >= 0; --i) {
    double *__restrict row = t + i * n;
    for (long j = i + 1; j < n; ++j) {
      const double *__restrict below = t + (i + 1) * n;
      row[j] = std::max(row[j], std::max(row[j - 1], below[j]));
      row[j] = std::max(row[j], i < j - 1 ? below[j - 1] + pairs(s[i], s[j]) : below[j - 1]);
      const double f = row[j];
      const double *__restrict rest = t + (j + 1) * n;
      if (j + 1 < n)
        for (long x = j + 1; x < n; ++x)
          row[x] = std::max(row[x], f + rest[x]);
    }
  }
}

/// The data's columns less their means, divided by `scale`; then the products of columns.
void centred(long n, double *__restrict a, bool byDeviation, double *__restrict out, double divisor) {
  std::vector<double> mean(n), deviation(n, 1);
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j)
      mean[j] += a[i * n + j];
  for (double &m : mean)
    m /= n;
  if (byDeviation) {
    std::fill(deviation.begin(), deviation.end(), 0);
    for (long i = 0; i < n; ++i)
      for (long j = 0; j < n; ++j)
        deviation[j] += (a[i * n + j] - mean[j]) * (a[i * n + j] - mean[j]);
    for (double &d : deviation)
      d = std::sqrt(d / n) <= 0.1 ? 1.0 : std::sqrt(d / n);
    for (double &d : deviation)
      d *= std::sqrt(static_cast<double>(n));
  }
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j)
      a[i * n + j] = (a[i * n + j] - mean[j]) / deviation[j];
  for (long k = 0; k < n; ++k)
    for (long i = 0; i < n; ++i) {
      const double f = a[k * n + i];
      for (long j = i; j < n; ++j)
        out[i * n + j] += f * a[k * n + j];
    }
  for (long i = 0; i < n; ++i)
    for (long j = i; j < n; ++j)
      out[j * n + i] = out[i * n + j] = byDeviation && i == j ? 1.0 : out[i * n + j] / divisor;
}

void covariance(Operands &o) { centred(o.n, o.in[0].data(), false, o.out[0].data(), o.n - 1.0); }
void correlation(Operands &o) { centred(o.n, o.in[0].data(), true, o.out[0].data(), 1); }

constexpr long kRows = 8;

// The largest value and the sum of each row.
void alongRows(Operands &o) {
  const long n = o.n;
  const double *__restrict a = o.in[0].data();
  for (long y = 0; y < n; y += kRows) {
    const long rows = std::min(kRows, n - y);
    double s[kRows] = {}, m[kRows];
    std::fill(m, m + kRows, -std::numeric_limits<double>::infinity());
    if (rows == kRows)
      for (long x = 0; x < n; ++x)
        for (long r = 0; r < kRows; ++r) {
          const double v = a[(y + r) * n + x];
          s[r] += v;
          m[r] = v > m[r] ? v : m[r];
        }
    else
      for (long x = 0; x < n; ++x)
        for (long r = 0; r < rows; ++r) {
          const double v = a[(y + r) * n + x];
          s[r] += v;
          m[r] = v > m[r] ? v : m[r];
        }
    for (long r = 0; r < rows; ++r) {
      o.out[0][y + r] = s[r];
      o.out[1][y + r] = m[r];
    }
  }
}

// Twice the matrix, its column sums and its columns' largest values: it is read once.
void several(Operands &o) {
  const long n = o.n;
  const double *__restrict a = o.in[0].data();
  double *__restrict twice = o.out[0].data(), *__restrict sum = o.out[1].data(),
                     *__restrict most = o.out[2].data();
  for (long x = 0; x < n; ++x)
    most[x] = -std::numeric_limits<double>::infinity();
  for (long y = 0; y < n; ++y)
    for (long x = 0; x < n; ++x) {
      const double v = a[y * n + x];
      twice[y * n + x] = 2 * v;
      sum[x] += v;
      most[x] = v > most[x] ? v : most[x];
    }
}

} // namespace

Nests programs() {
  return {{"shortestPaths", {"m", "m", shortestPaths}},
          {"matrixChain", {"v", "s", matrixChain}},
          {"folding", {"v", "m", folding}},
          {"covariance", {"m", "m", covariance}},
          {"correlation", {"m", "m", correlation}},
          {"alongRows", {"m", "vv", alongRows}},
          {"several", {"m", "mvv", several}}};
}
