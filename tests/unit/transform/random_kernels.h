// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random kernels as text.
//
//   Random r(7);
//   randomKernel(r)             a stencil, a product, a recurrence, ..., with random loops, shifts and domains
#pragma once
#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace pbc::kernel {

class Random {
public:
  explicit Random(unsigned long seed) : engine_(seed) {}
  /// From `least` to `most`.
  long number(long least, long most) { return std::uniform_int_distribution<long>(least, most)(engine_); }
  bool once(int in) { return number(1, in) == 1; }
  template <class T>
  const T &of(const std::vector<T> &all) {
    return all[static_cast<std::size_t>(number(0, static_cast<long>(all.size()) - 1))];
  }
  template <class T>
  void shuffle(std::vector<T> &all) {
    std::shuffle(all.begin(), all.end(), engine_);
  }

private:
  std::mt19937_64 engine_;
};

/// Its parameters are n and m, and it accesses cells near [0, n) x [0, m).
std::string randomKernel(Random &);

} // namespace pbc::kernel
