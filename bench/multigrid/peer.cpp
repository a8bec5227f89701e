// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Multigrid as one would write it by hand, for the five-point form of Poisson's equation on a square with zero on the boundary: the peer of stdlib/poisson.pbcc, on one thread.
//
//   peer N DIGITS ROUNDS      prints the median time and the number of cycles; N points inside along a side, 2^k - 1
//
// A V-cycle is a red-black sweep in place, the residual on the coarser grid by the weights of nine points, the correction, bilinear, and a sweep. A full cycle comes first;
// V-cycles follow until the residual is 10^DIGITS times smaller than the right-hand side. A grid has a frame of zeros around it, so that no loop asks where it is.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

struct Grid {
  explicit Grid(int n) : n(n), stride(n + 2), cells(static_cast<std::size_t>(stride) * stride) {}
  double *row(int y) {
    return cells.data() + static_cast<std::size_t>(y) * stride;
  } // points have coordinates 1 to n
  const double *row(int y) const { return cells.data() + static_cast<std::size_t>(y) * stride; }
  int n, stride;
  std::vector<double> cells;
};

/// The solution and the right-hand side of a grid.
struct Level {
  explicit Level(int n) : x(n), b(n) {}
  Grid x, b;
};

void sweepOfRow(Grid &x, const Grid &b, int y, int colour) {
  double *here = x.row(y);
  const double *above = x.row(y - 1), *below = x.row(y + 1), *right = b.row(y);
  for (int i = 1 + (y + 1 + colour) % 2; i <= x.n; i += 2)
    here[i] = (here[i - 1] + here[i + 1] + above[i] + below[i] + right[i]) * 0.25;
}

/// Both colours in one pass over memory: black points of a row follow once the red ones of the next row have been computed.
void sweep(Grid &x, const Grid &b) {
  sweepOfRow(x, b, 1, 0);
  for (int y = 2; y <= x.n; ++y) {
    sweepOfRow(x, b, y, 0);
    sweepOfRow(x, b, y - 1, 1);
  }
  sweepOfRow(x, b, x.n, 1);
}

void residualOfRow(double *r, const Grid &x, const Grid &b, int y) {
  const double *here = x.row(y), *above = x.row(y - 1), *below = x.row(y + 1), *right = b.row(y);
  for (int i = 1; i <= x.n; ++i)
    r[i] = right[i] - 4 * here[i] + here[i - 1] + here[i + 1] + above[i] + below[i];
}

void restrictResidual(Grid &coarse, const Grid &x, const Grid &b) {
  std::vector<double> rows[3];
  for (auto &r : rows)
    r.resize(static_cast<std::size_t>(x.stride));
  double *above = rows[0].data(), *here = rows[1].data(), *below = rows[2].data();
  residualOfRow(above, x, b, 1);
  for (int y = 1; y <= coarse.n; ++y) {
    residualOfRow(here, x, b, 2 * y);
    residualOfRow(below, x, b, 2 * y + 1);
    double *to = coarse.row(y);
    for (int i = 1; i <= coarse.n; ++i)
      to[i] = here[2 * i] + (here[2 * i - 1] + here[2 * i + 1] + above[2 * i] + below[2 * i]) * 0.5 +
              (above[2 * i - 1] + above[2 * i + 1] + below[2 * i - 1] + below[2 * i + 1]) * 0.25;
    std::swap(above, below);
  }
}

void addCorrection(Grid &x, const Grid &e) {
  for (int y = 1; y <= x.n; ++y) {
    double *to = x.row(y);
    const double *low = e.row(y / 2), *high = e.row((y + 1) / 2);
    for (int i = 0; i <= e.n; ++i) {
      to[2 * i] += i ? (low[i] + high[i]) * 0.5 : 0;
      to[2 * i + 1] += (low[i] + high[i] + low[i + 1] + high[i + 1]) * 0.25;
    }
  }
}

void zero(Grid &g) { std::fill(g.cells.begin(), g.cells.end(), 0.0); }

void cycle(std::vector<Level> &levels, std::size_t k) {
  Level &here = levels[k];
  if (here.x.n == 1) {
    here.x.row(1)[1] = here.b.row(1)[1] / 4;
    return;
  }
  sweep(here.x, here.b);
  restrictResidual(levels[k + 1].b, here.x, here.b);
  zero(levels[k + 1].x);
  cycle(levels, k + 1);
  addCorrection(here.x, levels[k + 1].x);
  sweep(here.x, here.b);
}

void full(std::vector<Level> &levels, std::size_t k) {
  Level &here = levels[k];
  zero(here.x);
  if (here.x.n > 1) {
    restrictResidual(levels[k + 1].b, here.x, here.b);
    full(levels, k + 1);
    addCorrection(here.x, levels[k + 1].x);
  }
  cycle(levels, k);
}

double digits(const Level &level) {
  double all = 0, rest = 0;
  std::vector<double> r(static_cast<std::size_t>(level.x.stride));
  for (int y = 1; y <= level.x.n; ++y) {
    residualOfRow(r.data(), level.x, level.b, y);
    const double *right = level.b.row(y);
    for (int i = 1; i <= level.x.n; ++i) {
      all += right[i] * right[i];
      rest += r[i] * r[i];
    }
  }
  return std::log10(all / rest) / 2;
}

} // namespace

int main(int count, char **words) {
  if (count != 4 || std::atoi(words[3]) < 1)
    return 1;
  const int n = std::atoi(words[1]);
  const double wanted = std::atof(words[2]);
  std::vector<Level> levels;
  for (int m = n; m > 0; m /= 2)
    levels.emplace_back(m);
  std::vector<double> right(static_cast<std::size_t>(n) * n);
  std::mt19937 random(1);
  for (double &v : right)
    v = std::uniform_real_distribution<double>(-1, 1)(random);
  std::vector<double> times;
  int cycles = 0;
  for (int k = std::atoi(words[3]); k > 0; --k) {
    const auto start = std::chrono::steady_clock::now();
    for (int y = 1; y <= n; ++y)
      std::copy_n(right.data() + static_cast<std::size_t>(y - 1) * static_cast<std::size_t>(n), n,
                  levels[0].b.row(y) + 1);
    full(levels, 0);
    for (cycles = 1; digits(levels[0]) < wanted && cycles < 60; ++cycles)
      cycle(levels, 0);
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  std::printf("time: %.6f s\ncycles: %d\n", times[times.size() / 2], cycles);
}
