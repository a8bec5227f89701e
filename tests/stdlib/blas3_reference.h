// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the routines of BLAS, level 3, should compute, by loops in double precision: blas3_variants.py compares stdlib/blas3.pbcc with it.
//
//   Triangle t{.isLower = true, .isUnit = true};
//   fill(a, t, 1);                                       what is not read of a is not a number
//   isWrong("DtrmmLLNU", product(a, t, true, b, 1.5), c) 0 if c = 1.5 a b, where a is that triangle
//
// A cell that is not stored takes no part, whatever is in B beside it; what B has that is not a number is in all results that it is a part of,
// and in no others.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

namespace blas3_test {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

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

/// With one cell in the middle that is not a number, if that is asked for.
template <class M>
void fill(const M &m, unsigned long seed, bool hasNone) {
  fill(m, seed);
  if (hasNone)
    m.cell(m.width() / 2, m.height() / 2) = kNone;
}

template <class M>
void copy(const M &from, const M &to) {
  for (int y = 0; y < from.height(); ++y)
    for (int x = 0; x < from.width(); ++x)
      to.cell(x, y) = from.cell(x, y);
}

/// What op(A) is made of.
struct Triangle {
  bool isLower = false, isTransposed = false, isUnit = false, isSymmetric = false, isFull = false;
};

/// Nothing but what is stored is a number. The diagonal is large, so that solves are exact enough.
template <class M>
void fill(const M &a, const Triangle &t, unsigned long seed) {
  const int n = a.width();
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      const bool isStored = (t.isLower ? x <= y : x >= y) && !(t.isUnit && x == y);
      a.cell(x, y) = !isStored ? kNone : x == y ? 2 + random(seed) : random(seed) / n;
    }
}

/// Whether op(A) has a cell in column x, row y; it is zero elsewhere.
inline bool has(const Triangle &t, int x, int y) {
  return t.isFull || t.isSymmetric || (t.isLower != t.isTransposed ? x <= y : x >= y);
}

/// The cell in column x, row y of op(A).
template <class M>
double at(const M &a, const Triangle &t, int x, int y) {
  if (t.isTransposed)
    std::swap(x, y);
  if (t.isUnit && x == y)
    return 1;
  return t.isSymmetric && (t.isLower ? x > y : x < y) ? a.cell(y, x) : a.cell(x, y);
}

/// A matrix that should be computed, with the size of what each cell is the sum of.
struct Wanted {
  int width, height;
  std::vector<double> values, sizes;

  template <class M>
  explicit Wanted(const M &like)
      : width(like.width()), height(like.height()), values(static_cast<std::size_t>(width) * height),
        sizes(values.size()) {}

  std::size_t at(int x, int y) const { return static_cast<std::size_t>(y) * width + x; }
};

/// alpha op(A) B, or alpha B op(A).
template <class A, class M>
Wanted product(const A &a, const Triangle &t, bool isLeft, const M &b, double alpha, const M &like) {
  Wanted made(like);
  const int length = isLeft ? b.height() : b.width();
  for (int y = 0; y < made.height; ++y)
    for (int x = 0; x < made.width; ++x) {
      double sum = 0, size = 0;
      for (int k = 0; k < length; ++k)
        if (isLeft ? has(t, k, y) : has(t, x, k)) {
          const double term =
              isLeft ? blas3_test::at(a, t, k, y) * b.cell(x, k) : b.cell(k, y) * blas3_test::at(a, t, x, k);
          sum += term;
          size += std::fabs(alpha * term);
        }
      made.values[made.at(x, y)] = alpha * sum;
      made.sizes[made.at(x, y)] = size;
    }
  return made;
}

template <class M>
Wanted plus(Wanted made, double beta, const M &d) {
  for (int y = 0; y < made.height; ++y)
    for (int x = 0; x < made.width; ++x) {
      made.values[made.at(x, y)] += beta * d.cell(x, y);
      made.sizes[made.at(x, y)] += std::fabs(beta * d.cell(x, y));
    }
  return made;
}

/// The X of op(A) X = alpha B, or of X op(A) = alpha B.
template <class M>
Wanted solution(const M &a, const Triangle &t, bool isLeft, const M &b, double alpha) {
  Wanted made(b);
  const int n = a.width(), others = isLeft ? made.width : made.height;
  const auto cell = [&](int other, int k) { return isLeft ? made.at(other, k) : made.at(k, other); };
  const bool isUp = isLeft == (t.isLower == t.isTransposed); // from the last one
  for (int other = 0; other < others; ++other)
    for (int step = 0; step < n; ++step) {
      const int k = isUp ? n - 1 - step : step;
      double sum = alpha * (isLeft ? b.cell(other, k) : b.cell(k, other)), size = std::fabs(sum);
      for (int done = 0; done < step; ++done) {
        const int i = isUp ? n - 1 - done : done;
        const double factor = isLeft ? blas3_test::at(a, t, i, k) : blas3_test::at(a, t, k, i);
        sum -= factor * made.values[cell(other, i)];
        size += std::fabs(factor) * made.sizes[cell(other, i)];
      }
      const double diagonal = blas3_test::at(a, t, k, k);
      made.values[cell(other, k)] = sum / diagonal;
      made.sizes[cell(other, k)] = size / std::fabs(diagonal);
    }
  return made;
}

/// Whether some cell is too far away from what it should be.
template <class M>
int isWrong(const char *name, const Wanted &wanted, const M &found) {
  const double part = sizeof(found.cell(0, 0)) == 8 ? 1e-12 : 1e-5;
  int wrong = 0;
  for (int y = 0; y < wanted.height; ++y)
    for (int x = 0; x < wanted.width; ++x) {
      const double value = wanted.values[wanted.at(x, y)], is = found.cell(x, y);
      if (std::isnan(value) ? std::isnan(is) : std::fabs(value - is) <= part * wanted.sizes[wanted.at(x, y)])
        continue;
      if (!wrong)
        std::fprintf(stderr, "%s, %d x %d: column %d, row %d is %g, not %g\n", name, wanted.width,
                     wanted.height, x, y, is, value);
      wrong = 1;
    }
  return wrong;
}

} // namespace blas3_test
