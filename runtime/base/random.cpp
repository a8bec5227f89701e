// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/random.h"
#include "runtime/abi/body.h"
#include <atomic>
#include <bit>
#include <cmath>
#include <numbers>

namespace pb {
namespace base {

Random::Random(std::uint64_t seed) {
  for (std::uint64_t &word : state_) {
    seed += 0x9e3779b97f4a7c15u;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    word = z ^ (z >> 31);
  }
}

std::uint64_t Random::bits() {
  std::uint64_t *s = state_;
  const std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
  s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3];
  s[2] ^= t, s[3] = std::rotl(s[3], 45);
  return result;
}

namespace {
std::atomic<std::uint64_t> commonSeed{1}, epoch{0}, nextThread{0};
} // namespace

void seedThreads(std::uint64_t seed) {
  commonSeed = seed;
  nextThread = 0;
  ++epoch;
}

} // namespace base

extern "C" double pb_random01() {
  using namespace base;
  thread_local Random random(0);
  thread_local std::uint64_t seen = ~std::uint64_t{0};
  if (const std::uint64_t now = epoch.load(std::memory_order_relaxed); seen != now) {
    seen = now;
    random = Random(commonSeed + 0x632be59bd9b4e019u * nextThread++);
  }
  return random.unit();
}

/// Uses Box and Muller's transformation (1958).
extern "C" double pb_random_normal() {
  const double radius = std::sqrt(-2 * std::log(1 - pb_random01()));
  return radius * std::cos(2 * std::numbers::pi * pb_random01());
}

} // namespace pb
