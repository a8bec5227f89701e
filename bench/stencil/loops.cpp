// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops of heat.pbcc as one writes them by hand, with two arrays that are exchanged after each step:
// loops KERNEL w h d
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int kSteps = 100;

void fivePoint(const double *__restrict a, double *__restrict b, long w, long h, long) {
#pragma omp parallel for
  for (long y = 1; y < h - 1; ++y)
    for (long x = 1; x < w - 1; ++x) {
      const long i = y * w + x;
      b[i] = a[i] + 0.1 * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w] - 4 * a[i]);
    }
}

void ninePoint(const double *__restrict a, double *__restrict b, long w, long h, long) {
#pragma omp parallel for
  for (long y = 1; y < h - 1; ++y)
    for (long x = 1; x < w - 1; ++x) {
      const long i = y * w + x;
      b[i] = 0.5 * a[i] + 0.1 * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w]) +
             0.025 * (a[i - w - 1] + a[i - w + 1] + a[i + w - 1] + a[i + w + 1]);
    }
}

void sevenPoint(const double *__restrict a, double *__restrict b, long w, long h, long d) {
  const long p = w * h;
#pragma omp parallel for
  for (long z = 1; z < d - 1; ++z)
    for (long y = 1; y < h - 1; ++y)
      for (long x = 1; x < w - 1; ++x) {
        const long i = z * p + y * w + x;
        b[i] = a[i] + 0.1 * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w] + a[i - p] + a[i + p] - 6 * a[i]);
      }
}

} // namespace

int main(int, char **argv) {
  const std::string kernel = argv[1];
  const long w = std::atol(argv[2]), h = std::atol(argv[3]), d = std::atol(argv[4]), n = w * h * d;
  auto *a = static_cast<double *>(std::aligned_alloc(1 << 21, (n * 8 / (1 << 21) + 1) << 21));
  auto *b = static_cast<double *>(std::aligned_alloc(1 << 21, (n * 8 / (1 << 21) + 1) << 21));
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    b[i] = a[i] = static_cast<double>(i * 7919 % 1000) / 1000;
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < kSteps; ++k, std::swap(a, b))
    (kernel == "FivePoint" ? fivePoint : kernel == "NinePoint" ? ninePoint : sevenPoint)(a, b, w, h, d);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::printf("time: %g s\ncell: %.17g\n", passed.count(), a[n / 2 + w / 3]);
}
