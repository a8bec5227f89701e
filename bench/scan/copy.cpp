// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures how long memcpy takes for n doubles, and oneTBB's parallel_sort to sort them: copy copy|sort n
// threads
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#include <vector>

int main(int, char **argv) {
  const bool sorts = std::string(argv[1]) == "sort";
  const long n = std::atol(argv[2]);
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    std::strtoul(argv[3], nullptr, 10));
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> number;
  std::vector<double> from(n), to(n);
  for (double &x : from)
    x = number(random);
  std::vector<double> times;
  for (int round = 0; round < 3; ++round) {
    if (sorts)
      to = from;
    const auto begin = std::chrono::steady_clock::now();
    if (sorts)
      tbb::parallel_sort(to.begin(), to.end());
    else
      std::memcpy(to.data(), from.data(), n * sizeof(double));
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  std::printf("time: %g s\ncell: %g\n", times[1], to[n / 3]);
}
