// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures the limits of the machine: independent multiplications and additions, and memory bandwidth.
//
//   limits double|float     => GFLOP/s of one core, several times
//   limits memory THREADS   => GB/s that are read and written, several times: copies, and reading alone
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#if defined(__AVX512F__)
constexpr int kBytes = 64, kChains = 24;
#elif defined(__AVX__)
constexpr int kBytes = 32, kChains = 12;
#else
constexpr int kBytes = 16, kChains = 12;
#endif

template <class T>
double rate() {
  typedef T V __attribute__((vector_size(kBytes)));
  V s[kChains] = {}, a = V{} + T(0.999), b = V{} + T(0.5);
  constexpr long kSteps = 400000;
  const auto begin = std::chrono::steady_clock::now();
  for (long i = 0; i < kSteps; ++i) {
#pragma clang loop unroll(full)
    for (V &chain : s)
      chain = chain * a + b;
    asm volatile("" : "+v"(a));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (V &chain : s)
    asm volatile("" : : "v"(chain));
  return 2.0 * kSteps * kChains * kBytes / sizeof(T) / seconds / 1e9;
}

constexpr long kCells = 1L << 25; // 256 MB of doubles a thread

double sumOf(const std::vector<double> &cells) {
  typedef double V __attribute__((vector_size(kBytes)));
  V s[8] = {};
  for (long i = 0; i < kCells; i += 8 * static_cast<long>(kBytes / sizeof(double)))
#pragma clang loop unroll(full)
    for (int k = 0; k < 8; ++k) {
      V v;
      std::memcpy(&v, &cells[static_cast<unsigned long>(i + k * static_cast<long>(kBytes / sizeof(double)))],
                  sizeof v);
      s[k] += v;
    }
  double sum = 0;
  for (const V &v : s)
    sum += v[0];
  return sum;
}

void memory(int threads) {
  std::vector<std::vector<double>> from(static_cast<unsigned long>(threads)), to(from.size());
  double volatile keep = 0;
  using Clock = std::chrono::steady_clock;
  // Measures from the first thread's beginning to the last one's end.
  const auto inParallel = [&](const std::function<void(unsigned long)> &work) {
    std::barrier start(threads);
    std::vector<Clock::time_point> begins(from.size()), ends(from.size());
    std::vector<std::thread> all;
    for (unsigned long t = 0; t < from.size(); ++t)
      all.emplace_back([&, t] {
        start.arrive_and_wait();
        begins[t] = Clock::now();
        work(t);
        ends[t] = Clock::now();
      });
    for (std::thread &t : all)
      t.join();
    return std::chrono::duration<double>(*std::max_element(ends.begin(), ends.end()) -
                                         *std::min_element(begins.begin(), begins.end()))
        .count();
  };
  inParallel([&](unsigned long t) { from[t].assign(kCells, 1), to[t].assign(kCells, 0); });
  const double bytes = 8.0 * kCells * threads;
  for (int k = 0; k < 7; ++k) {
    const double copy =
        inParallel([&](unsigned long t) { std::memcpy(to[t].data(), from[t].data(), 8 * kCells); });
    const double read = inParallel([&](unsigned long t) { keep = sumOf(from[t]); });
    std::printf("%.2f %.2f\n", 2 * bytes / copy / 1e9, bytes / read / 1e9);
  }
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "double";
  if (!std::strcmp(what, "memory"))
    return memory(argc > 2 ? std::atoi(argv[2]) : 1), 0;
  for (int k = 0; k < 20; ++k)
    std::printf("%.2f\n", std::strcmp(what, "float") ? rate<double>() : rate<float>());
}
