// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transfer: a configuration of a machine with other cut-offs (tuning-practice.md 9).
#include "tests/unit/sanitized.h"
#include "tests/unit/tuner/synthetic.h"
#include "tuner/strategy/refresh.h"

#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

/// The best configuration without a shift.
Configuration bestOfElsewhere(const ProgramSpace &space, long largest) {
  const int alternatives = static_cast<int>(space.sites[0].alternatives.size());
  std::vector<Level> levels;
  for (long m = 2; m <= largest; m *= 2)
    levels.push_back({2 * m, Synthetic::bestAlternative(m, alternatives)});
  Selector selector(levels.front().use);
  for (const Level &level : levels)
    selector = selector.withRangeForced(level.below / 2, kNoLimit, level.use);
  return Configuration::defaults(space).withSelector(0, selector).withTunable(0, 5);
}

ProgramSpace startingFrom(ProgramSpace space, const Configuration &configuration) {
  for (std::size_t i = 0; i < space.sites.size(); ++i)
    space.sites[i].initial = configuration.selectors()[i];
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    space.tunables[i].initial = configuration.tunables()[i];
  return space;
}

struct Tuned {
  double seconds = 0;
  int trials = 0; // those of the race are not counted
};

template <typename Strategy>
Tuned run(const Strategy &strategy, const ProgramSpace &space, int shift, double bestRatio,
          std::uint64_t seed, int levels, int trials = 0) {
  const auto sizes = powersOfTwo(1, levels);
  Synthetic evaluator(space, sizes, 0.02, seed * 77);
  evaluator.shift = shift;
  evaluator.bestRatio = bestRatio;
  Silent silent;
  TuneSettings settings;
  settings.deadline = 1000;
  settings.seed = seed;
  settings.trials = trials;
  const TuneResult result = strategy(space, sizes, {}, settings, evaluator, silent);
  return {evaluator.truth(result.best, sizes.back().n), result.measurements};
}

TEST(Refresh, ReachesAFullTuningInATenthOfItsTrials) {
  for (const int levels : {12, 23}) {
    const ProgramSpace space = syntheticSpace(levels == 12 ? 6 : 12);
    const Configuration stored = bestOfElsewhere(space, 1L << levels);
    int good = 0, runs = 0, trials = 0, allTrials = 0;
    for (const int shift : {-2, -1, 1, 2})
      for (std::uint64_t seed = 1; seed <= (kSanitized ? 1 : 5); ++seed, ++runs) {
        const Tuned full = run(tune, space, shift, 4, seed, levels);
        const Tuned quick =
            run(refresh, startingFrom(space, stored), shift, 4, seed, levels, full.trials / 10);
        good += full.seconds >= 0.95 * quick.seconds;
        trials += quick.trials;
        allTrials += full.trials;
      }
    EXPECT_GE(good, runs - 1) << levels;
    EXPECT_LE(10 * trials, allTrials) << levels;
    RecordProperty("trials_of_refresh", trials / runs);
    RecordProperty("trials_of_tuning", allTrials / runs);
  }
}

TEST(Refresh, WhereTrialsAreCountedTheRaceIsShort) {
  const ProgramSpace space = startingFrom(syntheticSpace(), bestOfElsewhere(syntheticSpace(), 1L << 12));
  const auto sizes = powersOfTwo(6, 12);
  Synthetic evaluator(space, sizes, 0.02, 1);
  evaluator.bestRatio = 3;
  Silent silent;
  TuneSettings settings;
  settings.deadline = 1000;
  settings.trials = 60;
  const TuneResult result = refresh(space, sizes, {}, settings, evaluator, silent);
  EXPECT_TRUE(result.raced);
  EXPECT_LE(result.measurements, 60 + 2) << "a turn may be under way at the end";
  EXPECT_LE(evaluator.requests, result.measurements + 100);
}

TEST(Refresh, StaysWhereNothingHasMoved) {
  const ProgramSpace space = syntheticSpace();
  const Configuration stored = bestOfElsewhere(space, 1L << 23);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Tuned quick = run(refresh, startingFrom(space, stored), 0, 5, seed, 23);
    EXPECT_LE(quick.seconds, 1.02 * 23e-3);
  }
}

TEST(Refresh, LeavesAloneWhatIsFixed) {
  ProgramSpace space = syntheticSpace();
  space = startingFrom(space, bestOfElsewhere(space, 1L << 16));
  space.sites[0].isFixed = true;
  const auto sizes = powersOfTwo(4, 16);
  Synthetic evaluator(space, sizes, 0.01, 3);
  evaluator.shift = 2;
  evaluator.bestRatio = 2;
  Silent silent;
  const TuneResult result = refresh(space, sizes, {}, {}, evaluator, silent);
  EXPECT_EQ(result.best.selectors()[0], space.sites[0].initial);
  EXPECT_EQ(result.best.tunables()[0], 2);
  EXPECT_TRUE(result.changed);
  EXPECT_GE(result.defaultTimes.size(), 5u) << "the summary has no interval";
  EXPECT_EQ(result.defaultTimes.size(), result.bestTimes.size());
}

TEST(Refresh, StopsAtOnce) {
  const ProgramSpace space = syntheticSpace();
  for (const int stopAfter : {1, 2, 20}) {
    const auto sizes = powersOfTwo(4, 20);
    Synthetic evaluator(space, sizes, 0.02, 3);
    evaluator.stopAfter = stopAfter;
    Silent silent;
    const TuneResult result = refresh(space, sizes, {}, {}, evaluator, silent);
    EXPECT_LE(evaluator.requests, stopAfter + 3);
    EXPECT_FALSE(result.raced);
    EXPECT_EQ(result.best, Configuration::defaults(space));
  }
}

} // namespace
} // namespace pbc::tuner
