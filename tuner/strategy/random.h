// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The only source of randomness in the search: the same seed gives the same numbers on every machine (the
// standard library's distributions are not used, because they may differ between implementations).
//
//   Random random(1);  random.below(6);  random.lognormal(1.0)   // a factor with median 1
//
// Source: requirements 76 and 86.
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace pbc::tuner {

class Random {
public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// 0 <= result < count, uniform; count >= 1.
  std::uint64_t below(std::uint64_t count) {
    // A multiple of `count`, so that all values are equally likely.
    const std::uint64_t most = engine_.max() - engine_.max() % count;
    std::uint64_t value;
    do
      value = engine_();
    while (value >= most);
    return value % count;
  }

  /// 0 <= result < 1.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  bool chance(double probability) { return unit() < probability; }

  /// Mean 0, deviation 1 (Box and Muller).
  double normal() { return std::sqrt(-2 * std::log(1 - unit())) * std::cos(2 * std::numbers::pi * unit()); }

  /// exp of a normal value: a factor of 1/2 is as likely as 2.
  double lognormal(double sigma) { return std::exp(sigma * normal()); }

private:
  std::mt19937_64 engine_;
};

} // namespace pbc::tuner
