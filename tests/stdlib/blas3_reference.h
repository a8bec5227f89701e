// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums in double precision to compare the routines of blas3.pbcc with. What a routine does not read is not a number: the rest of
// triangles, unit diagonals.
#pragma once
#include <cmath>
#include <cstdio>
#include <limits>

namespace blas3_test {

inline double random(unsigned long &state) {
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
}

template <class M>
void fill(const M &m, unsigned long seed) {
  for (int y = 0; y < m.height(); ++y)
    for (int x = 0; x < m.width(); ++x)
      m.cell(x, y) = random(seed);
}

template <class M>
void copy(const M &from, const M &to) {
  for (int y = 0; y < from.height(); ++y)
    for (int x = 0; x < from.width(); ++x)
      to.cell(x, y) = from.cell(x, y);
}

struct Triangle {
  bool isLower, isTransposed = false, isUnit = false, isSymmetric = false, isFull = false;
};

/// A triangle with a large diagonal, so that solves with it are exact enough.
template <class M>
void fill(const M &a, const Triangle &t, unsigned long seed) {
  const int n = a.width();
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      const bool isStored = (t.isLower ? x <= y : x >= y) && !(t.isUnit && x == y);
      a.cell(x, y) = !isStored ? std::numeric_limits<double>::quiet_NaN()
                     : x == y  ? 2 + random(seed)
                               : random(seed) / n;
    }
}

inline constexpr Triangle kFull{.isLower = true, .isFull = true};

/// Column x, row y of op(A).
template <class M>
double at(const M &a, const Triangle &t, int x, int y) {
  if (t.isTransposed)
    std::swap(x, y);
  if (t.isUnit && x == y)
    return 1;
  if (t.isFull || (t.isLower ? x <= y : x >= y))
    return a.cell(x, y);
  return t.isSymmetric ? a.cell(y, x) : 0;
}

/// Whether wanted = alpha op(A) b + beta d, or alpha b op(A) + beta d, is too far away from what was found.
template <class A, class M>
int isWrong(const char *name, const A &a, const Triangle &t, bool isLeft, const M &b, double alpha,
            const M &d, double beta, const M &found) {
  double worst = 0, largest = 0;
  const int n = a.width();
  for (int y = 0; y < b.height(); ++y)
    for (int x = 0; x < b.width(); ++x) {
      double sum = 0, size = std::fabs(beta * d.cell(x, y));
      for (int k = 0; k < n; ++k) {
        const double left = isLeft ? at(a, t, k, y) : b.cell(k, y),
                     right = isLeft ? b.cell(x, k) : at(a, t, x, k);
        sum += left * right;
        size += std::fabs(alpha * left * right);
      }
      const double difference = std::fabs(alpha * sum + beta * d.cell(x, y) - found.cell(x, y));
      worst = difference > worst || std::isnan(difference) ? difference : worst;
      largest = size > largest ? size : largest;
    }
  const bool isFine =
      worst <= (sizeof(a.cell(0, 0)) == 8 ? 1e-12 : 1e-5) * largest || b.width() * b.height() == 0;
  if (!isFine)
    std::fprintf(stderr, "%s: n = %d, %g of %g\n", name, n, worst, largest);
  return !isFine;
}

} // namespace blas3_test
