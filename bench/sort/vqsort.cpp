// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Highway's vectorised quicksort on random doubles: vqsort N => "time: SECONDS s", the median. Each run sorts
// a new copy, and making the copy is not timed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <hwy/contrib/sort/vqsort.h>
#include <random>
#include <vector>

int main(int argc, char **argv) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> in(static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 1)), out;
  std::generate(in.begin(), in.end(), [&] { return uniform(engine); });
  const hwy::Sorter sort;
  std::vector<double> times;
  for (int k = 0; k < 3; ++k) {
    out = in;
    const auto begin = now();
    sort(out.data(), out.size(), hwy::SortAscending());
    times.push_back(std::chrono::duration<double>(now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  std::printf("time: %.6g s\n", times[1]);
  return std::is_sorted(out.begin(), out.end()) ? 0 : 1;
}
