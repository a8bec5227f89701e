// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The search on models whose times are known: every strategy finds the optimum, whatever the bounds are, and says how far from it a result
// can be (lower-bound-search.md, section 10, tests 5, 8, 13 and 14).
#include "compiler/search/strategy/search.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <utility>

namespace pbc::search {
namespace {

/// Some variables without constraints but one; the time is a product of a factor for each value, times an effect that the bounds
/// do not know.
class TableModel : public Model {
public:
  TableModel(unsigned seed, int roots, double unknown) : unknown_(unknown) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> factor(1, 3);
    for (int root = 0; root < roots; ++root) {
      auto &problem = *problems_.emplace_back(std::make_unique<Problem>());
      auto &factors = factors_.emplace_back();
      for (int v = 0; v < 5; ++v) {
        problem.addVariable({v / 2, v, -1, 15});
        factors.push_back({factor(random), factor(random), factor(random), factor(random)});
      }
      const Literal notBoth[] = {{0, 14}, {1, 14}};
      problem.addClause(0, notBoth);
    }
    seed_ = seed;
  }

  std::size_t roots() const override { return problems_.size(); }
  const Problem &problem(std::size_t root) const override { return *problems_[root]; }
  std::vector<std::string_view> limitNames() const override { return {"even", "odd"}; }

  RegionBound bound(std::size_t root, const State &state) const override {
    double product = 1;
    for (std::size_t v = 0; v < factors_[root].size(); ++v) {
      double least = HUGE_VAL;
      for (std::size_t value = 0; value < 4; ++value)
        if (state.domain(int(v)) >> value & 1u)
          least = std::min(least, factors_[root][v][value]);
      product *= least;
    }
    return {product * tooHigh, state.openVariables() % 2};
  }

  double time(std::size_t root, const std::vector<Domain> &leaf) const {
    std::size_t mixed = root + seed_;
    double product = 1;
    for (std::size_t v = 0; v < leaf.size(); ++v) {
      const auto value = std::size_t(std::countr_zero(leaf[v]));
      product *= factors_[root][v][value];
      mixed = mixed * 1000003 + value;
    }
    std::mt19937_64 random(mixed);
    return product * (1 + unknown_ * std::uniform_real_distribution<double>()(random));
  }

  LeafTime measure(std::size_t root, const State &leaf, double) override {
    ++measured;
    std::this_thread::sleep_for(duration);
    if (refusesFirst && leaf.domain(0) == 1)
      return {false, 0, "refused"};
    return {true, time(root, leaf.domains())};
  }
  bool refute(std::size_t, const State &, double) override { return std::exchange(tooHigh, 1) != 1; }

  /// The least time of all leaves.
  double optimum() const {
    double best = HUGE_VAL;
    for (std::size_t root = 0; root < roots(); ++root)
      for (unsigned code = 0; code < 1024; ++code) {
        std::vector<Domain> leaf;
        for (int v = 0; v < 5; ++v)
          leaf.push_back(Domain(1) << (code >> (2 * v) & 3u));
        const bool isLegal = leaf[0] != 1 || leaf[1] != 1;
        if (isLegal && !(refusesFirst && leaf[0] == 1))
          best = std::min(best, time(root, leaf));
      }
    return best;
  }

  double tooHigh = 1; // bounds are so many times too high
  bool refusesFirst = false;
  long measured = 0;
  std::chrono::milliseconds duration{0}; // of a measurement

private:
  double unknown_;
  unsigned seed_ = 0;
  std::vector<std::unique_ptr<Problem>> problems_;
  std::vector<std::vector<std::array<double, 4>>> factors_;
};

TEST(Search, EveryStrategyFindsTheOptimum) {
  for (unsigned seed = 0; seed < 8; ++seed)
    for (const double unknown : {0.0, 0.3, 3.0})
      for (const Strategy &strategy : strategies()) {
        TableModel model(seed, 3, unknown);
        const SearchResult result = search(model, {.strategy = &strategy});
        ASSERT_TRUE(result.best);
        EXPECT_TRUE(result.isComplete);
        EXPECT_DOUBLE_EQ(result.best->seconds, model.optimum()) << strategy.name << seed;
        EXPECT_DOUBLE_EQ(result.bound, result.best->seconds);
        EXPECT_EQ(result.statistics.refuted, 0);
      }
}

TEST(Search, BestFirstMeasuresOnlyWhatTheBoundsCannotTellApart) {
  TableModel exact(7, 3, 0);
  search(exact, {});
  EXPECT_EQ(exact.measured, 1);
  TableModel near(7, 3, 0.1), far(7, 3, 3);
  const SearchResult result = search(near, {});
  search(far, {});
  EXPECT_LT(near.measured, 100);
  EXPECT_LT(near.measured, far.measured);
  long cut = 0;
  for (const long by : result.statistics.cutBy)
    cut += by;
  EXPECT_EQ(cut, result.statistics.cut);
  EXPECT_GT(cut, 0);
}

TEST(Search, ABoundThatAMeasurementRefutesIsLeftOut) {
  for (const Strategy &strategy : strategies()) {
    TableModel model(3, 2, 0.5);
    model.tooHigh = 4;
    const SearchResult result = search(model, {.strategy = &strategy});
    ASSERT_TRUE(result.best);
    EXPECT_EQ(result.statistics.refuted, 1);
    EXPECT_DOUBLE_EQ(result.best->seconds, model.optimum()) << strategy.name;
  }
}

TEST(Search, WhatIsNotMeasuredIsNotBest) {
  TableModel model(5, 2, 0.5);
  model.refusesFirst = true;
  const SearchResult result = search(model, {});
  ASSERT_TRUE(result.best);
  EXPECT_DOUBLE_EQ(result.best->seconds, model.optimum());
  EXPECT_NE(result.best->domains[0], 1u);
}

TEST(Search, SaysHowFarFromTheOptimumItIsWhenItEndsEarly) {
  for (const Strategy &strategy : strategies()) {
    TableModel model(11, 3, 1);
    const SearchResult result = search(model, {.strategy = &strategy, .mostMeasured = 1});
    ASSERT_TRUE(result.best);
    EXPECT_FALSE(result.isComplete);
    EXPECT_LE(result.bound, model.optimum());
    EXPECT_GE(result.best->seconds, model.optimum());
    EXPECT_GE(result.gap(), 1);
  }
  TableModel model(11, 3, 0.2);
  const SearchResult enough = search(model, {.enough = 1.5});
  EXPECT_LE(enough.gap(), 1.5);
}

TEST(Search, EndsWithTheMeasurementDuringWhichItsTimeIsOver) {
  TableModel model(11, 3, 1);
  model.duration = std::chrono::milliseconds(20);
  search(model, {.seconds = 0.05, .measuresAll = true});
  EXPECT_LE(model.measured, 3); // the third one begins before 50 ms are over
}

TEST(Search, TheGapNeverGrows) {
  TableModel model(13, 3, 1);
  std::vector<double> gaps;
  SearchOptions options;
  options.progress = [&](const SearchResult &r) {
    gaps.push_back(r.gap());
    return true;
  };
  search(model, options);
  ASSERT_FALSE(gaps.empty());
  EXPECT_TRUE(std::is_sorted(gaps.rbegin(), gaps.rend()));
}

TEST(Search, TheSameSeedGivesTheSameSearch) {
  for (const Strategy &strategy : strategies()) {
    TableModel one(17, 3, 1), two(17, 3, 1);
    const SearchResult a = search(one, {.strategy = &strategy}), b = search(two, {.strategy = &strategy});
    EXPECT_EQ(a.best->domains, b.best->domains);
    EXPECT_EQ(a.statistics.measured, b.statistics.measured);
    EXPECT_EQ(a.statistics.divided, b.statistics.divided);
  }
}

/// Everything that a search does with regions, in its order, and what it finds.
struct Trace {
  std::vector<std::pair<std::vector<Domain>, bool>> regions;
  SearchResult result;
  long measured = 0;

  Trace(const Strategy &strategy, unsigned seed, double tooHigh, int threads) {
    TableModel model(seed, 3, 0.7);
    model.tooHigh = tooHigh;
    SearchOptions options{.strategy = &strategy, .dives = 2, .threads = threads};
    options.onRegion = [&](const Region &region, bool isCut) { regions.emplace_back(region.domains, isCut); };
    result = search(model, options);
    measured = model.measured;
  }
};

TEST(Search, TheNumberOfThreadsChangesNothing) {
  for (const Strategy &strategy : strategies())
    for (unsigned seed = 0; seed < 4; ++seed)
      for (const double tooHigh : {1.0, 3.0}) {
        const Trace one(strategy, seed, tooHigh, 1);
        for (const int threads : {2, 5}) {
          const Trace several(strategy, seed, tooHigh, threads);
          EXPECT_EQ(several.regions, one.regions) << strategy.name << threads;
          EXPECT_EQ(several.measured, one.measured);
          EXPECT_EQ(several.result.best->domains, one.result.best->domains);
          EXPECT_EQ(several.result.bound, one.result.bound);
          EXPECT_EQ(several.result.statistics.empty, one.result.statistics.empty);
          EXPECT_EQ(several.result.statistics.cutBy, one.result.statistics.cutBy);
          EXPECT_EQ(several.result.statistics.refuted, tooHigh > 1 ? 1 : 0);
        }
      }
}

/// While a program is measured, a model that needs a quiet machine is asked nothing else.
TEST(Search, NothingElseIsDoneWhileAProgramIsMeasured) {
  struct Quiet : TableModel {
    using TableModel::TableModel;
    bool measuresAlone() const override { return true; }
    RegionBound bound(std::size_t root, const State &state) const override {
      disturbed += isMeasuring;
      return TableModel::bound(root, state);
    }
    LeafTime measure(std::size_t root, const State &leaf, double most) override {
      isMeasuring = true;
      const LeafTime time = TableModel::measure(root, leaf, most);
      isMeasuring = false;
      return time;
    }
    std::atomic<bool> isMeasuring = false;
    mutable std::atomic<int> disturbed = 0;
  };
  Quiet model(5, 3, 1);
  model.duration = std::chrono::milliseconds(1);
  search(model, {.mostMeasured = 40, .threads = 4});
  EXPECT_GT(model.measured, 3);
  EXPECT_EQ(model.disturbed, 0);
}

} // namespace
} // namespace pbc::search
