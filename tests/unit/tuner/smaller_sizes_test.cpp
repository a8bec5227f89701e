// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a search of one size leaves to chance at smaller sizes.
#include "tests/unit/tuner/formulated.h"
#include "tuner/strategy/smaller_sizes.h"

namespace pbc::tuner {
namespace {

constexpr int kInsertion = 0, kMerge = 1, kRadix = 2;

/// Seconds of one sort, the cheapest of three up to 64, between, and from 4096 on.
double alone(int use, long n) {
  const double d = static_cast<double>(n);
  return 1e-9 * (use == kInsertion ? d * d : use == kMerge ? 64 * d : 16 * d + 48 * 4096);
}

Configuration improved(const Formula &formula, const Selector &found, const Deadline &deadline = 1e9) {
  const ProgramSpace space = syntheticSpace(3);
  const std::vector<TestSize> sizes = powersOfTwo(4, 16);
  Formulated evaluator(sizes, formula);
  Silent silent;
  Tester tester(space, sizes, evaluator, silent);
  return goodAtSmallerSizes(tester, Configuration::defaults(space).withSelector(0, found),
                            static_cast<int>(sizes.size()) - 1, deadline);
}

Selector byChance() {
  return Selector(kInsertion).withRangeForced(2000, 9000, kMerge).withRangeForced(27000, kNoLimit, kRadix);
}

TEST(SmallerSizes, TakeWhatIsFastThere) {
  const auto seconds = [](const Configuration &c, long n) { return alone(c.selectors()[0].select(n), n); };
  const Configuration result = improved(seconds, byChance());
  for (long n = 16; n <= 1 << 16; n *= 2) {
    const double best = std::min({alone(kInsertion, n), alone(kMerge, n), alone(kRadix, n)});
    EXPECT_LE(seconds(result, n), best / 0.9) << n;
  }
}

TEST(SmallerSizes, KeepWhatIsFastAtTheFullSize) {
  // A recursive merge sort: its smallest calls are insertion sorts, though a single one is as fast by radix.
  const auto seconds = [](const Configuration &c, long n) {
    const int use = c.selectors()[0].select(n), least = c.selectors()[0].select(32);
    return alone(use, n) * (use == kRadix && n < 100 ? 1e-3 : 1) *
           (n == 1 << 16 && least != kInsertion ? 1.5 : 1);
  };
  const Selector found = Selector(kInsertion).withRangeForced(64, kNoLimit, kMerge);
  EXPECT_EQ(improved(seconds, found).selectors()[0].select(32), kInsertion);
}

TEST(SmallerSizes, TheSmallOnesAreReachedInAShortTime) {
  const auto seconds = [](const Configuration &c, long n) { return alone(c.selectors()[0].select(n), n); };
  const Configuration result =
      improved(seconds, Selector(kRadix).withRangeForced(27000, kNoLimit, kMerge), {1e9, 250});
  for (long n = 16; n <= 256; n *= 2)
    EXPECT_LE(seconds(result, n), std::min(alone(kInsertion, n), alone(kMerge, n)) / 0.9) << n;
}

TEST(SmallerSizes, WithoutTimeAllStays) {
  const auto seconds = [](const Configuration &c, long n) { return alone(c.selectors()[0].select(n), n); };
  EXPECT_EQ(improved(seconds, byChance(), 0).selectors()[0], byChance());
}

} // namespace
} // namespace pbc::tuner
