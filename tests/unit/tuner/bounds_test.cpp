// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bounds of a program's rules: how those of several rules make one of a configuration, and that a search which leaves out what cannot win
// finds what it would have found, with fewer runs.
#include "tests/unit/tuner/synthetic.h"
#include "tuner/evaluate/lower_bounds.h"
#include "tuner/evaluate/replay.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// One pass directly, or two of which each computes and the second may run on a device.
ProgramSpace blurSpace() {
  ProgramSpace space;
  space.program = "blur";
  space.hash = "b1";
  space.main = "Blur";
  space.sizes = {"n"};
  space.bins = {"Blur"};
  space.sites.push_back({"Blur", "Blur", "", {{"direct", ""}, {"down", ""}}});
  Site place{"Blur", "place_down", "", {{"cpu", ""}, {"cpu:wide", ""}, {"gpu", ""}}};
  place.key = "place_down";
  space.sites.push_back(place);
  Tunable threads;
  threads.name = "threads";
  threads.initial = 2;
  threads.minimum = 1;
  threads.maximum = 4;
  space.tunables.push_back(threads);
  return space;
}

std::string onCores(double seconds, const char *limit, const char *of, bool addsUp) {
  std::string all;
  for (const int cores : {1, 2, 4})
    all += fmt::format(
        R"({}{{"cores":{},"seconds":{},"limit":"{}","of":"{}","adds_up":{},"derivation":"D","remedy":"R"}})",
        all.empty() ? "" : ",", cores, seconds / cores, limit, of, addsUp);
  return all;
}

std::string stepJson(const char *name, const std::string &bounds) {
  return fmt::format(R"({{"name":"{}","bounds":[{}]}})", name, bounds);
}

/// On one core: directly 8 s; across 2 s and down 3 s of the same additions.
std::string blurBounds() {
  return fmt::format(
      R"({{"transforms":[{{"name":"Other","hash":"o","alternatives":[]}},{{"name":"Blur","hash":"h","alternatives":[
        {{"name":"direct","steps":[{}]}},{{"name":"down","steps":[{},{}]}}]}}]}})",
      stepJson("direct", onCores(8, "traffic", "bytes", false)),
      stepJson("across", onCores(2, "compute", "additions", true)),
      stepJson("down", onCores(3, "compute", "additions", true)));
}

Configuration blur(const ProgramSpace &space, int rule, int place, double threads) {
  return Configuration::defaults(space)
      .withSelector(0, Selector(rule))
      .withSelector(1, Selector(place))
      .withTunable(0, threads);
}

double secondsOf(const Configuration &configuration) {
  const ProgramSpace space = blurSpace();
  const TransformBounds bounds = parseBounds(blurBounds(), "Blur");
  const auto *alternative = chosenAlternative(bounds, space, configuration, 100);
  return alternative ? lowerBound(*alternative, space, configuration, 100).seconds : -1;
}

TEST(LowerBound, AddsUpWhatRulesNeedOfTheSameUnit) {
  const ProgramSpace space = blurSpace();
  EXPECT_DOUBLE_EQ(secondsOf(blur(space, 0, 0, 1)), 8);
  EXPECT_DOUBLE_EQ(secondsOf(blur(space, 1, 0, 1)), 5);
}

TEST(LowerBound, TakesTheLargerOfWhatMayOverlap) {
  const ProgramSpace space = blurSpace();
  TransformBounds bounds = parseBounds(blurBounds(), "Blur");
  for (TransformBounds::OnCores &on : bounds.alternatives[1].steps[1].on)
    on.of = "bytes";
  EXPECT_DOUBLE_EQ(lowerBound(bounds.alternatives[1], space, blur(space, 1, 0, 1), 100).seconds, 3);
}

TEST(LowerBound, IsThatOfAtLeastAsManyCoresAsThreads) {
  const ProgramSpace space = blurSpace();
  EXPECT_DOUBLE_EQ(secondsOf(blur(space, 1, 0, 2)), 2.5);
  EXPECT_DOUBLE_EQ(secondsOf(blur(space, 1, 0, 3)), 1.25);
  EXPECT_DOUBLE_EQ(secondsOf(blur(space, 1, 0, 5)), 0); // nothing is known of so many
}

TEST(LowerBound, CountsOnlyRulesOnTheProcessor) {
  const ProgramSpace space = blurSpace();
  EXPECT_DOUBLE_EQ(secondsOf(blur(space, 1, 1, 1)), 5); // another schedule
  EXPECT_DOUBLE_EQ(secondsOf(blur(space, 1, 2, 1)), 2); // `down` runs on the device
}

TEST(LowerBound, IsReadAsItIsWritten) {
  std::map<std::string, std::string> hashes;
  const TransformBounds bounds = parseBounds(blurBounds(), "Blur", &hashes);
  EXPECT_EQ(hashes, (std::map<std::string, std::string>{{"Other", "o"}, {"Blur", "h"}}));
  const std::string text = toJson(bounds, "Blur");
  EXPECT_EQ(toJson(parseBounds(text, "Blur"), "Blur"), text);
  EXPECT_THROW(parseBounds("{}", "Blur"), TunerError);
  TransformBounds predicted = bounds;
  predicted.alternatives[0].steps[0].prediction = {"", "limited by L2", 2, {}, "", 1, {{"cpu:wide", 0.5}}};
  const TransformBounds again = parseBounds(toJson(predicted, "Blur"), "Blur");
  EXPECT_THAT(again.alternatives[0].steps[0].prediction->schedules,
              ElementsAre(testing::Pair("cpu:wide", 0.5)));
}

TEST(LowerBounds, LeaveOutALimitThatARunRefutes) {
  const ProgramSpace space = blurSpace();
  LowerBounds bounds(space, {{"n=100", 100, parseBounds(blurBounds(), "Blur")}});
  bounds.measured(blur(space, 1, 0, 1), 0, 6);
  EXPECT_TRUE(bounds.refutations().empty());
  EXPECT_THAT(bounds.hopeless(), ElementsAre()); // with two threads, 4 s are possible
  bounds.measured(blur(space, 1, 0, 1), 0, 4.5);
  ASSERT_EQ(bounds.refutations().size(), 1u);
  EXPECT_THAT(bounds.refutations().front(),
              HasSubstr("a run at n=100 took 4.5 s, less than the 5 s of the bound of across and down (D)"));
  EXPECT_DOUBLE_EQ(bounds.of(blur(space, 1, 0, 1), 0).seconds, 0);
  EXPECT_DOUBLE_EQ(bounds.of(blur(space, 0, 0, 1), 0).seconds, 8); // another limit
}

TEST(LowerBounds, NameTheSizesAtWhichAnAlternativeCannotWin) {
  const ProgramSpace space = blurSpace();
  const TransformBounds all = parseBounds(blurBounds(), "Blur");
  LowerBounds bounds(space, {{"n=50", 50, all}, {"n=100", 100, all}});
  bounds.measured(blur(space, 1, 0, 2), 1, 3);
  EXPECT_THAT(bounds.hopeless(), ElementsAre("Blur with direct cannot win at n=100: there it takes 4 s at "
                                             "least (traffic), and the best 3 s"));
}

/// The default takes 1 s, and the other alternative has a bound.
struct OneBound : Evaluator {
  double atLeast = 0;
  std::vector<int> measured; // sizes at which the other alternative ran
  int leftOutCount = 0;
  Measurement measure(const Request &request) override {
    const bool isDefault = request.configuration.selectors().front().select(1) == 0;
    if (!isDefault)
      measured.push_back(request.size);
    return {std::vector<double>(static_cast<std::size_t>(request.trials), isDefault ? 1.0 : atLeast), {}};
  }
  double bound(const Configuration &configuration, int) override {
    return configuration.selectors().front().select(1) == 0 ? 5 : atLeast;
  }
  void leftOut(const Configuration &, int, double, double) override { ++leftOutCount; }
  double elapsed() const override { return 0; }
  bool stopped() const override { return false; }
};

/// The sizes at which a configuration ran whose bound is so many times the best time.
std::vector<int> sizesOfRuns(double atLeast) {
  const ProgramSpace space = syntheticSpace(2);
  OneBound evaluator;
  evaluator.atLeast = atLeast;
  Silent silent;
  Tester tester(space, {{"n=1", 1, 1}, {"n=2", 2, 1}}, evaluator, silent);
  const Configuration defaults = Configuration::defaults(space);
  for (const int size : {0, 1}) {
    Candidate byDefault{defaults, {}}, other{defaults.withSelector(0, Selector(1)), {}};
    EXPECT_TRUE(tester.test(byDefault, size, defaults)); // its bound does not matter
    const bool isTested = tester.test(other, size, defaults);
    EXPECT_EQ(isTested, std::ranges::count(evaluator.measured, size) > 0);
  }
  EXPECT_EQ(evaluator.leftOutCount, 2 - static_cast<int>(evaluator.measured.size()));
  EXPECT_TRUE(tester.bans().faults().empty()); // nothing is to blame for it
  return evaluator.measured;
}

TEST(Tester, LeavesOutWhatCannotWinAtTheFullSizeAndWhatWouldBeStoppedBelowIt) {
  EXPECT_THAT(sizesOfRuns(0.9), ElementsAre(0, 1));
  EXPECT_THAT(sizesOfRuns(1.2), ElementsAre(0)); // slower at the small size, it may be faster at the full one
  EXPECT_THAT(sizesOfRuns(4), ElementsAre());    // it would be stopped at its limit
}

/// A recorded space in which the least time of each alternative is its bound.
class BoundedReplay : public Replay {
public:
  explicit BoundedReplay(const MeasuredSpace &measured, bool isBounded)
      : Replay(measured, 1), measured_(measured), grid_(measured.grid()), isBounded_(isBounded) {
    for (std::size_t s = 0; s < measured.sizes.size(); ++s) {
      least_.emplace_back();
      for (std::uint64_t i = 0; i < grid_.size(); ++i)
        if (const MeasuredPoint &point = measured.points[s][i]; !point.failure) {
          const auto [place, isNew] = least_.back().try_emplace(choice(i, s), point.seconds);
          place->second = std::min(place->second, point.seconds);
        }
    }
  }
  Measurement measure(const Request &request) override {
    ++runs;
    return Replay::measure(request);
  }
  double bound(const Configuration &configuration, int size) override {
    const auto s = static_cast<std::size_t>(size);
    const auto known = least_[s].find(choice(grid_.nearest(configuration), s));
    return isBounded_ && known != least_[s].end() ? known->second : 0;
  }
  void leftOut(const Configuration &, int, double bound, double known) override {
    EXPECT_GT(bound, known);
    ++leftOutCount;
  }
  int runs = 0, leftOutCount = 0;

private:
  int choice(std::uint64_t point, std::size_t size) const {
    return grid_.at(point).selectors().front().select(measured_.sizes[size].n);
  }
  const MeasuredSpace &measured_;
  const Grid grid_;
  const bool isBounded_;
  std::vector<std::map<int, double>> least_;
};

struct Found {
  double truth = 0;
  int runs = 0, leftOut = 0;
};

Found tuned(const MeasuredSpace &measured, const std::string &strategy, bool isBounded) {
  BoundedReplay replay(measured, isBounded);
  Silent silent;
  TuneSettings settings{.deadline = 1e6};
  settings.strategy = parseStrategy(strategy);
  const TuneResult result = tune(measured.space, measured.sizes, {}, settings, replay, silent);
  return {replay.truth(result.best), replay.runs, replay.leftOutCount};
}

TEST(Search, FindsWithBoundsWhatItFindsWithoutAndRunsLess) {
  int before = 0, after = 0;
  for (const char *name : {"matmul", "prefixsum", "rollingsum", "sort"}) {
    MeasuredSpace measured =
        readMeasuredSpace(fmt::format("{}/bench/tuner/spaces/{}.space.json", PBC_SOURCE_DIR, name));
    measured.noise = 0; // so that the same is found each time
    const std::string all = "exhaustive:points=100000";
    const Found plain = tuned(measured, all, false), bounded = tuned(measured, all, true);
    EXPECT_LE(bounded.truth, plain.truth) << name;
    EXPECT_LE(bounded.runs, plain.runs) << name;
    EXPECT_EQ(plain.leftOut, 0) << name;
    EXPECT_GT(bounded.leftOut, 0) << name;
    before += plain.runs;
    after += bounded.runs;
  }
  EXPECT_LT(after, 0.1 * before);
}

const char *const kPredicted =
    R"json({"transforms":[{"name":"Blur","hash":"h","alternatives":[{"name":"direct","steps":[
  {"name":"direct","why_no_bound":"none","prediction":{"seconds":0.5,"verdict":"limited by L3 throughput (0.90)",
                  "elasticities"
    : [ {"parameter" : "L3 throughput", "value" : 0.9}, {"parameter" : "loads throughput", "value" : 0.1} ],
                  "regions" : [ {"where" : "line 12", "line" : 12, "file" : "blur.pbcc", "value" : 0.7} ],
                  "try" : "tile(x; 8)",
                  "times_as_fast" : 1.5
}
},
  {"name":"down","why_no_bound":"none","why_no_prediction":"its body calls f"}]
}]
}]
})json";

TEST(TransformBounds, KeepWhatIsPredicted) {
  std::map<std::string, std::string> hashes;
  for (const TransformBounds &bounds :
       {parseBounds(kPredicted, "Blur", &hashes),
        parseBounds(toJson(parseBounds(kPredicted, "Blur"), "Blur"), "Blur")}) {
    const std::vector<TransformBounds::Step> &steps = bounds.alternatives.front().steps;
    ASSERT_TRUE(steps[0].prediction && steps[1].prediction);
    EXPECT_EQ(steps[0].prediction->verdict, "limited by L3 throughput (0.90)");
    EXPECT_EQ(steps[0].prediction->elasticities[1], std::pair(std::string("loads throughput"), 0.1));
    ASSERT_EQ(steps[0].prediction->lines.size(), 1U);
    EXPECT_EQ(steps[0].prediction->lines[0], std::pair(std::string("line 12"), 0.7));
    EXPECT_EQ(steps[0].prediction->script, "tile(x; 8)");
    EXPECT_EQ(steps[1].prediction->why, "its body calls f");
  }
  EXPECT_FALSE(parseBounds(blurBounds(), "Blur").alternatives.front().steps.front().prediction);
}

} // namespace
} // namespace pbc::tuner
