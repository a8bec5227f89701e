// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fast pseudo-random numbers: xoshiro256++ (Blackman and Vigna, 2019), seeded by splitmix64.
//
//   Random r(1);  r.unit();          // a double in [0, 1)
//   r.below(101);                    // an integer in [0, 101)
//
// Invariant: the same seed gives the same numbers on every machine. Each thread has a generator of its own
// for pb_random01(), so that rule bodies never wait for each other; seedThreads() restarts them all. In a context of a
// library a thread has another one, of the context's RandomStreams.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

namespace pb::base {

class Random {
public:
  explicit Random(std::uint64_t seed);
  std::uint64_t bits();
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  long below(long bound) {
    return static_cast<long>((static_cast<unsigned __int128>(bits()) * static_cast<std::uint64_t>(bound)) >>
                             64);
  }

private:
  std::uint64_t state_[4];
};

/// Generators with a common seed. The first thread that asks gets the first one, whatever other RandomStreams there are, the second thread
/// the next one.
class RandomStreams {
public:
  explicit RandomStreams(std::uint64_t seed);
  /// Valid until the calling thread asks other RandomStreams.
  Random &ofThread();

private:
  struct Core {
    std::uint64_t seed;
    unsigned long number; // no others of the process have had it
    std::atomic<std::uint64_t> threads = 0;
  };
  struct OfThread;
  std::shared_ptr<Core> core_;
};

/// Sets the seed of the generators behind pb_random01(). Every thread's generator starts again.
void seedThreads(std::uint64_t seed);

} // namespace pb::base
