// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/random.h"
#include "runtime/abi/body.h"
#include "runtime/abi/slots.h"
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

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

Random generatorOf(std::uint64_t seed, std::uint64_t thread) {
  return Random(seed + 0x632be59bd9b4e019u * thread);
}
} // namespace

/// A generator that the calling thread has.
struct RandomStreams::OfThread {
  std::weak_ptr<Core> core;
  unsigned long number;
  Random random;
};

RandomStreams::RandomStreams(std::uint64_t seed) {
  static std::atomic<unsigned long> all = 0;
  core_ = std::make_shared<Core>(seed, ++all);
}

Random &RandomStreams::ofThread() {
  thread_local std::vector<OfThread> mine;
  for (OfThread &one : mine)
    if (one.number == core_->number)
      return one.random;
  std::erase_if(mine, [](const OfThread &one) { return one.core.expired(); });
  mine.push_back({core_, core_->number, generatorOf(core_->seed, core_->threads++)});
  return mine.back().random;
}

void seedThreads(std::uint64_t seed) {
  commonSeed = seed;
  nextThread = 0;
  ++epoch;
}

} // namespace base

extern "C" double pb_random01() {
  using namespace base;
  if (RandomStreams *const own = pb_execution->random)
    return own->ofThread().unit();
  thread_local Random random(0);
  thread_local std::uint64_t seen = ~std::uint64_t{0};
  if (const std::uint64_t now = epoch.load(std::memory_order_relaxed); seen != now) {
    seen = now;
    random = generatorOf(commonSeed, nextThread++);
  }
  return random.unit();
}

/// Uses Box and Muller's transformation (1958).
extern "C" double pb_random_normal() {
  const double radius = std::sqrt(-2 * std::log(1 - pb_random01()));
  return radius * std::cos(2 * std::numbers::pi * pb_random01());
}

} // namespace pb
