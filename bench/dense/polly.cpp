// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The product of dense.pbcc as plain loops over arrays of constant size, which Polly tiles and packs by
// itself.
//
//   clang++ -O3 -march=native -ffast-math -mllvm -polly -DN=1024 -DT=double polly.cpp
//   polly    => "time: SECONDS s", the median
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

static T a[N][N], b[N][N], c[N][N];

[[gnu::noinline]] static void product() {
  for (int y = 0; y < N; ++y)
    for (int x = 0; x < N; ++x) {
      c[y][x] = 0;
      for (int i = 0; i < N; ++i)
        c[y][x] += a[y][i] * b[i][x];
    }
}

int main() {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<T> between(-1, 1);
  for (auto *matrix : {&a, &b})
    for (auto &line : *matrix)
      for (T &cell : line)
        cell = between(bits);
  std::vector<double> times;
  double all = 0;
  while (times.size() < 3 || all < 0.5) {
    const auto begin = std::chrono::steady_clock::now();
    product();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    all += times.back();
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  std::printf("time: %.9g s\n", times[times.size() / 2]);
  return c[N / 2][N / 3] == T(12345); // the compiler must not remove the product
}
