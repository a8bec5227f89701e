// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sweeps through time, recursive filters, and loops over images.
#include "nests.h"
#include <algorithm>
#include <cstring>
#include <utility>

namespace {

void jacobi1(Operands &o) {
  const long n = o.n;
  std::vector<double> other = o.in[0];
  double *__restrict a = o.in[0].data(), *__restrict b = other.data();
  for (long t = 0; t < o.steps; ++t) {
    for (long i = 1; i < n - 1; ++i)
      b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
    std::swap(a, b);
  }
  std::memcpy(o.out[0].data(), a, sizeof(double) * n);
}

void jacobi2(Operands &o) {
  const long n = o.n;
  std::vector<double> other = o.in[0];
  double *a = o.in[0].data(), *b = other.data();
  for (long t = 0; t < o.steps; ++t) {
    for (long y = 1; y < n - 1; ++y) {
      const double *__restrict p = a + y * n;
      double *__restrict q = b + y * n;
      for (long x = 1; x < n - 1; ++x)
        q[x] = 0.2 * (p[x] + p[x - 1] + p[x + 1] + p[x - n] + p[x + n]);
    }
    std::swap(a, b);
  }
  std::memcpy(o.out[0].data(), a, sizeof(double) * n * n);
}

void heat3(Operands &o) {
  const long n = o.n, plane = n * n;
  std::vector<double> other = o.in[0];
  double *a = o.in[0].data(), *b = other.data();
  for (long t = 0; t < o.steps; ++t) {
    for (long z = 1; z < n - 1; ++z)
      for (long y = 1; y < n - 1; ++y) {
        const double *__restrict p = a + z * plane + y * n;
        double *__restrict q = b + z * plane + y * n;
        for (long x = 1; x < n - 1; ++x)
          q[x] = p[x] + 0.125 * (p[x - plane] - 2 * p[x] + p[x + plane]) +
                 0.125 * (p[x - n] - 2 * p[x] + p[x + n]) + 0.125 * (p[x - 1] - 2 * p[x] + p[x + 1]);
      }
    std::swap(a, b);
  }
  std::memcpy(o.out[0].data(), a, sizeof(double) * n * plane);
}

void sweepsInPlace(Operands &o) {
  const long n = o.n;
  double *a = o.in[0].data();
  for (long t = 0; t < o.steps; ++t)
    for (long y = 1; y < n - 1; ++y)
      for (long x = 1; x < n - 1; ++x) {
        double *p = a + y * n + x;
        p[0] = 0.2 * (p[0] + p[-1] + p[1] + p[-n] + p[n]);
      }
  std::memcpy(o.out[0].data(), a, sizeof(double) * n * n);
}

// Two fields on staggered points, a pulse at one border.
void fields(Operands &o) {
  const long n = o.n;
  double *__restrict ex = o.in[0].data(), *__restrict ey = o.in[1].data(), *__restrict hz = o.in[2].data();
  const double *pulse = o.in[3].data();
  for (long t = 0; t < o.steps; ++t) {
    for (long x = 0; x < n; ++x)
      ey[x] = pulse[t];
    for (long y = 1; y < n; ++y)
      for (long x = 0; x < n; ++x)
        ey[y * n + x] -= 0.5 * (hz[y * n + x] - hz[(y - 1) * n + x]);
    for (long y = 0; y < n; ++y)
      for (long x = 1; x < n; ++x)
        ex[y * n + x] -= 0.5 * (hz[y * n + x] - hz[y * n + x - 1]);
    for (long y = 0; y < n - 1; ++y)
      for (long x = 0; x < n - 1; ++x)
        hz[y * n + x] -= 0.7 * (ex[y * n + x + 1] - ex[y * n + x] + ey[(y + 1) * n + x] - ey[y * n + x]);
  }
  o.out[0] = o.in[2];
}

constexpr long kRows = 8; // as many recurrences side by side

/// Calls f for runs of kRows rows, and for single rows at the end: f.operator()<ROWS>(first row).
template <class F>
void inRuns(long begin, long end, F &&f) {
  for (; begin + kRows <= end; begin += kRows)
    f.template operator()<kRows>(begin);
  for (; begin < end; ++begin)
    f.template operator()<1>(begin);
}

// Implicit along columns, then along rows, in each step: the recurrences go along y with x innermost; along x they take
// some rows at once.
void alternating(Operands &o) {
  const long n = o.n;
  std::vector<double> vs = o.in[0], ps(n * n), qs(n * n);
  double *__restrict u = o.in[0].data(), *__restrict v = vs.data(), *__restrict p = ps.data(),
                     *__restrict q = qs.data();
  constexpr double a = -0.3, b = 1.6, c = -0.3, d = 0.2;
  for (long t = 0; t < o.steps; ++t) {
    for (long x = 0; x < n; ++x) {
      v[x] = 1;
      p[x] = 0;
      q[x] = 1;
    }
    for (long y = 1; y < n - 1; ++y)
      for (long x = 1; x < n - 1; ++x) {
        const double m = a * p[(y - 1) * n + x] + b;
        p[y * n + x] = -c / m;
        q[y * n + x] = (d * u[y * n + x - 1] + (1 - 2 * d) * u[y * n + x] + d * u[y * n + x + 1] -
                        a * q[(y - 1) * n + x]) /
                       m;
      }
    for (long x = 0; x < n; ++x)
      v[(n - 1) * n + x] = 1;
    for (long y = n - 2; y > 0; --y)
      for (long x = 1; x < n - 1; ++x)
        v[y * n + x] = p[y * n + x] * v[(y + 1) * n + x] + q[y * n + x];
    for (long y = 0; y < n; ++y)
      u[y * n] = u[y * n + n - 1] = 1;
    inRuns(1, n - 1, [&]<long Rows>(long first) {
      double pl[Rows] = {}, ql[Rows];
      for (long r = 0; r < Rows; ++r)
        ql[r] = 1;
      for (long x = 1; x < n - 1; ++x)
        for (long r = 0; r < Rows; ++r) {
          const long at = (first + r) * n + x;
          const double m = a * pl[r] + b;
          ql[r] = (d * v[at - n] + (1 - 2 * d) * v[at] + d * v[at + n] - a * ql[r]) / m;
          pl[r] = -c / m;
          p[at] = pl[r];
          q[at] = ql[r];
        }
      double ul[Rows];
      for (long r = 0; r < Rows; ++r)
        ul[r] = 1;
      for (long x = n - 2; x > 0; --x)
        for (long r = 0; r < Rows; ++r) {
          const long at = (first + r) * n + x;
          u[at] = ul[r] = p[at] * ul[r] + q[at];
        }
    });
  }
  o.out[0] = o.in[0];
}

constexpr double a1 = 0.2, a2 = 0.1, a3 = 0.15, a4 = 0.05, b1 = 0.6, b2 = -0.1;

// Recursive filters from left to right and from right to left, their sum, and the same along columns.
void twoDirections(Operands &o) {
  const long n = o.n;
  std::vector<double> sums(n * n);
  const double *__restrict in = o.in[0].data();
  double *__restrict out = o.out[0].data(), *__restrict s = sums.data();
  inRuns(0, n, [&]<long Rows>(long first) {
    double x1[Rows] = {}, y1[Rows] = {}, y2[Rows] = {};
    for (long x = 0; x < n; ++x)
      for (long k = 0; k < Rows; ++k) {
        const long at = (first + k) * n + x;
        const double y = a1 * in[at] + a2 * x1[k] + b1 * y1[k] + b2 * y2[k];
        s[at] = y;
        x1[k] = in[at];
        y2[k] = y1[k];
        y1[k] = y;
      }
    double z1[Rows] = {}, z2[Rows] = {}, w1[Rows] = {}, w2[Rows] = {};
    for (long x = n - 1; x >= 0; --x)
      for (long k = 0; k < Rows; ++k) {
        const long at = (first + k) * n + x;
        const double y = a3 * z1[k] + a4 * z2[k] + b1 * w1[k] + b2 * w2[k];
        s[at] += y;
        z2[k] = z1[k];
        z1[k] = in[at];
        w2[k] = w1[k];
        w1[k] = y;
      }
  });
  std::vector<double> zero(n), up(n * n), down(n * n);
  const auto row = [&](double *m, long y) { return y < 0 || y >= n ? zero.data() : m + y * n; };
  for (long y = 0; y < n; ++y) {
    const double *s0 = row(s, y), *s1 = row(s, y - 1), *p1 = row(up.data(), y - 1),
                 *p2 = row(up.data(), y - 2);
    double *__restrict to = row(up.data(), y);
    for (long x = 0; x < n; ++x)
      to[x] = a1 * s0[x] + a2 * s1[x] + b1 * p1[x] + b2 * p2[x];
  }
  for (long y = n - 1; y >= 0; --y) {
    const double *s1 = row(s, y + 1), *s2 = row(s, y + 2), *p1 = row(down.data(), y + 1),
                 *p2 = row(down.data(), y + 2);
    const double *u = row(up.data(), y);
    double *__restrict to = row(down.data(), y), *__restrict sum = out + y * n;
    for (long x = 0; x < n; ++x) {
      to[x] = a3 * s1[x] + a4 * s2[x] + b1 * p1[x] + b2 * p2[x];
      sum[x] = u[x] + to[x];
    }
  }
}

void grey(Operands &o) {
  const long cells = o.n * o.n;
  const unsigned char *__restrict in = o.bytesIn[0].data();
  unsigned char *__restrict out = o.bytesOut[0].data();
  for (long i = 0; i < cells; ++i)
    out[i] = static_cast<unsigned char>((77 * in[3 * i] + 150 * in[3 * i + 1] + 29 * in[3 * i + 2]) / 256);
}

// Every second cell by one formula, the others by another one.
void everySecond(Operands &o) {
  const long n = o.n;
  const double *__restrict in = o.in[0].data();
  double *__restrict out = o.out[0].data();
  for (long y = 0; y < n; ++y)
    for (long x = 0; x + 1 < n; x += 2) {
      const double a = in[y * n + x], b = in[y * n + x + 1];
      out[y * n + x] = 0.5 * (a + b);
      out[y * n + x + 1] = 0.5 * (a - b);
    }
}

void transposition(Operands &o) {
  const long n = o.n;
  const double *__restrict in = o.in[0].data();
  double *__restrict out = o.out[0].data();
  constexpr long kTile = 8;
  for (long y0 = 0; y0 < n; y0 += kTile)
    for (long x0 = 0; x0 < n; x0 += kTile)
      for (long x = x0; x < std::min(n, x0 + kTile); ++x)
        for (long y = y0; y < std::min(n, y0 + kTile); ++y)
          out[x * n + y] = in[y * n + x];
}

void runningAlongRows(Operands &o) {
  const long n = o.n;
  const double *__restrict in = o.in[0].data();
  double *__restrict out = o.out[0].data();
  inRuns(0, n, [&]<long Rows>(long first) {
    double last[Rows] = {};
    for (long x = 0; x < n; ++x)
      for (long r = 0; r < Rows; ++r) {
        last[r] = 0.5 * last[r] + in[(first + r) * n + x];
        out[(first + r) * n + x] = last[r];
      }
  });
}

} // namespace

Nests stencils() {
  return {{"jacobi1", {"v", "v", jacobi1}},
          {"jacobi2", {"m", "m", jacobi2}},
          {"heat3", {"c", "c", heat3}},
          {"sweepsInPlace", {"m", "m", sweepsInPlace}},
          {"fields", {"mmmv", "m", fields}},
          {"alternating", {"m", "m", alternating}},
          {"twoDirections", {"m", "m", twoDirections}},
          {"grey", {"p", "b", grey}},
          {"everySecond", {"m", "m", everySecond}},
          {"transposition", {"m", "m", transposition}},
          {"runningAlongRows", {"m", "m", runningAlongRows}}};
}
