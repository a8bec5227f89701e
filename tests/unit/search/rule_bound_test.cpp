// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bound of a rule whatever its schedule, on kernels whose least times can be worked out by hand.
#include "compiler/search/prove/rule_bound.h"
#include "tests/unit/search/kernels.h"
#include "tests/unit/transform/textual.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbc::search {
namespace {

using testing::HasSubstr;

/// 1e9 additions and as many multiplications a second on one core; 1000 bytes of registers, 10,000 of cache, 1e9 bytes a second to the one
/// and 1e8 to the other, also past the caches.
Rates ratesOfOneCore() {
  Rates rates;
  for (Rates::Arithmetic &arithmetic : rates.arithmetic)
    arithmetic = {1e9, 2e9, 1e9, 1e8, 1e8, 1e-9, 1e-9, 1e8, 10};
  rates.levels = {{"registers", 1000, 0}, {"L1", 11000, 1e9}, {"global", 1e12, 1e8, 0, 1e8}};
  rates.instructionsInFlight = 100;
  return rates;
}

RuleBound boundOf(const char *text, const RuleBoundOptions &options, const Rates &rates = ratesOfOneCore()) {
  kernel::Texts texts;
  return ruleBound(texts.kernel(text), options, rates);
}

TEST(RuleBound, IsTheCompulsoryTrafficOfAScaledVector) {
  const RuleBound bound = boundOf(kScale, {.values = {{"n", 10'000}}});
  // 160,000 bytes, of which registers and cache may hold 11,000 at first.
  EXPECT_EQ(bound.term, "traffic");
  EXPECT_DOUBLE_EQ(bound.seconds, 149'000 / 1e8);
  EXPECT_FALSE(bound.addsUp);
  EXPECT_THAT(bound.derivation, HasSubstr("traffic: 1.49e+05 bytes from global, at 1e+08 a second at most"));
  EXPECT_FALSE(bound.remedy.empty());
}

TEST(RuleBound, GivesSeveralCoresAllTheirCachesAndRates) {
  const RuleBound bound = boundOf(kScale, {.values = {{"n", 10'000}}, .cores = 2});
  EXPECT_DOUBLE_EQ(bound.seconds, (160'000 - 22'000) / 2e8);
}

TEST(RuleBound, GivesSeveralCoresAllTheirCopies) {
  Rates rates = ratesOfOneCore();
  rates.levels[2].copiedBytesPerSecond = 4e7;
  rates.levels[2].streamedBytesPerSecond = 5e7;
  const RuleBound bound = boundOf(kScale, {.values = {{"n", 10'000}}, .cores = 2}, rates);
  EXPECT_EQ(bound.term, "copied");
  EXPECT_DOUBLE_EQ(bound.seconds, 2 * (80'000 - 22'000) / 1e8) << "a schedule may store past the caches";
}

/// Whether stores past the caches are faster than reading, nobody knows then.
TEST(RuleBound, CountsOnlyWhatIsReadWhereNoRateOfStoresIsKnown) {
  Rates rates = ratesOfOneCore();
  rates.levels[2].streamedBytesPerSecond = 0;
  const RuleBound bound = boundOf(kScale, {.values = {{"n", 10'000}}}, rates);
  EXPECT_DOUBLE_EQ(bound.seconds, (80'000 - 11'000) / 1e8);
}

TEST(RuleBound, DoesNotCountWhatMatricesBetweenRulesMove) {
  const RuleBound bound = boundOf(kScale, {.values = {{"n", 10'000}}, .temporaries = {"C"}});
  EXPECT_DOUBLE_EQ(bound.seconds, (80'000 - 11'000) / 1e8);
  const RuleBound none = boundOf(kScale, {.values = {{"n", 10'000}}, .temporaries = {"A", "C"}});
  EXPECT_EQ(none.term, "compute"); // the multiplications are left
  EXPECT_DOUBLE_EQ(none.seconds, 1e-5);
  EXPECT_TRUE(none.addsUp);
}

TEST(RuleBound, HoldsForEachWayToBegin) {
  // Sums may be reordered: 300 additions do not wait for each other.
  const RuleBound bound = boundOf(kDot, {.values = {{"n", 300}}});
  EXPECT_EQ(bound.term, "traffic");
  EXPECT_LE(bound.seconds, (2 * 300 + 1) * 8 / 1e9);
}

TEST(RuleBound, IsMissingWhereNothingIsKnown) {
  const RuleBound bound = boundOf(kScale, {.values = {{"n", 10}}, .temporaries = {"A", "C"}});
  EXPECT_GT(bound.seconds, 0);
  Rates none;
  none.levels = ratesOfOneCore().levels;
  kernel::Texts texts;
  const RuleBound small = ruleBound(texts.kernel(kScale), {.values = {{"n", 10}}}, none);
  EXPECT_EQ(small.seconds, 0);
  EXPECT_EQ(small.why, "no term of the bound is about what it does");
}

} // namespace
} // namespace pbc::search
