// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// std::sort on random doubles: std_sort N => "time: SECONDS s", the median. Each run sorts a new copy, and
// making the copy is not timed; sort.pbcc includes its copy in the time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

int main(int argc, char **argv) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> in(static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 1)), out;
  std::generate(in.begin(), in.end(), [&] { return uniform(engine); });
  std::vector<double> times;
  for (int k = 0; k < 3; ++k) {
    out = in;
    const auto begin = now();
    std::sort(out.begin(), out.end());
    times.push_back(std::chrono::duration<double>(now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  std::printf("time: %.6g s\n", times[1]);
}
