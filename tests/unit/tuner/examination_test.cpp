// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// On which inputs results are compared, which of them count, and what happens to configurations that fail
// (tuning-practice.md 4).
#include "tests/unit/tuner/synthetic.h"
#include "tuner/evaluate/examination.h"
#include "tuner/evaluate/memory.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <unistd.h>

namespace pbc::tuner {
namespace {

ProgramSpace image() {
  ProgramSpace space = syntheticSpace(3);
  space.sizes = {"KW", "h", "w"};
  space.params = {"KW"};
  return space;
}

bool hasSize(const std::vector<ExaminedInput> &inputs, long w) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const ExaminedInput &input) { return input.sizes.at("w") == w; });
}

TEST(Examination, TinySizesAndAllKindsOfValues) {
  const auto inputs = quickInputs(image(), {{"KW", 100}, {"h", 480}, {"w", 640}});
  for (const ExaminedInput &input : inputs) {
    EXPECT_EQ(input.sizes.at("KW"), 100) << "a param keeps its value";
    EXPECT_LE(input.sizes.at("w"), 107);
    if (input.sizes.at("h") > 2) {
      EXPECT_NE(input.sizes.at("h"), input.sizes.at("w")) << "mistaken for each other";
    }
  }
  for (long w : {0, 1, 2})
    EXPECT_TRUE(hasSize(inputs, w));
  for (const char *values : {"constant", "negative", "sorted", "tiny"})
    EXPECT_TRUE(std::any_of(inputs.begin(), inputs.end(), [&](const auto &i) { return i.values == values; }));
}

TEST(Examination, NothingGrowsBeyondItsSize) {
  for (const ExaminedInput &input : quickInputs(image(), {{"KW", 3}, {"h", 5}, {"w", 20}})) {
    EXPECT_EQ(input.sizes.at("h"), 5) << "below 16 it is no size that grows";
    EXPECT_LE(input.sizes.at("w"), 20);
  }
  EXPECT_TRUE(quickInputs(image(), {{"KW", 3}, {"h", 5}, {"w", 7}}).empty());
}

TEST(Examination, PrimesAndCutoffs) {
  const ProgramSpace space = image();
  const std::vector<Step> steps{{{{"KW", 3}, {"h", 64}, {"w", 64}}, 64, 1e-3},
                                {{{"KW", 3}, {"h", 1024}, {"w", 1024}}, 1024, 0.5}};
  const Configuration cut =
      Configuration::defaults(space).withSelector(0, *Selector::fromLevels({{341, 1}, {kNoLimit, 2}}));
  std::vector<long> sizes;
  for (const ExaminedInput &input : thoroughInputs(space, steps, {cut}))
    sizes.push_back(input.sizes.at("h"));
  for (long wanted : {340, 341, 342, 61, 1021, 1023})
    EXPECT_NE(std::find(sizes.begin(), sizes.end(), wanted), sizes.end()) << wanted;
  EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 1024), 0) << "of the tuning itself";
}

/// Like Synthetic, but the second alternative is wrong at odd sizes, which are not measured.
struct WrongWhenOdd : Synthetic {
  using Synthetic::Synthetic;
  std::vector<std::optional<Misfit>> examine(const std::vector<Configuration> &all, Depth depth,
                                             double) override {
    std::vector<std::optional<Misfit>> result(all.size());
    const long n = depth == Depth::Quick ? 17 : 1023;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].selectors()[0].select(n) == wrong && (depth == Depth::Thorough || isQuicklySeen))
        result[i] = Misfit{{Failure::WrongResult, "gives a different result"}, "n=" + std::to_string(n), n};
    return result;
  }
  int wrong = 2;
  bool isQuicklySeen = true;
};

TEST(Examination, WhoIsWrongSomewhereIsNotTriedAnyMore) {
  const ProgramSpace space = syntheticSpace(3);
  const auto sizes = powersOfTwo(6, 10);
  for (bool isQuicklySeen : {true, false}) {
    WrongWhenOdd evaluator(space, sizes, 0.02, 1);
    evaluator.isQuicklySeen = isQuicklySeen;
    evaluator.wrong = Synthetic::bestAlternative(1024, 3);
    Silent silent;
    const TuneResult result = tune(space, sizes, {}, {}, evaluator, silent);
    EXPECT_TRUE(result.raced);
    EXPECT_NE(result.best.selectors()[0].select(1023), evaluator.wrong);
    const std::string suspect = "Synthetic with A" + std::to_string(evaluator.wrong);
    EXPECT_TRUE(std::any_of(result.faults.begin(), result.faults.end(),
                            [&](const Fault &fault) { return fault.suspect == suspect; }));
  }
}

/// Like Synthetic, but the first look at the alternatives takes all the time that it may take.
struct SlowToExamine : Synthetic {
  using Synthetic::Synthetic;
  std::vector<std::optional<Misfit>> examine(const std::vector<Configuration> &all, Depth,
                                             double deadline) override {
    first = std::min(first, deadline);
    return std::vector<std::optional<Misfit>>(all.size());
  }
  double first = 1e9;
};

TEST(Examination, TheFirstLookLeavesTimeForMeasurements) {
  const ProgramSpace space = syntheticSpace(3);
  const auto sizes = powersOfTwo(6, 10);
  for (const auto &[budget, most] : {std::pair{2.0, 0.4}, std::pair{60.0, 6.0}}) {
    SlowToExamine evaluator(space, sizes, 0.02, 1);
    Silent silent;
    TuneSettings settings;
    settings.deadline = budget;
    tune(space, sizes, {}, settings, evaluator, silent);
    EXPECT_LE(evaluator.first, most);
  }
}

/// Like Synthetic, but the best alternative is a different one when a user runs the program.
struct OtherOutside : Synthetic {
  using Synthetic::Synthetic;
  std::optional<Rejected> confirm(const Configuration &configuration, int, double byDefault,
                                  double seconds) override {
    EXPECT_GT(byDefault, seconds) << "what is claimed";
    ++asked;
    if (configuration.selectors()[0].select(1024) != wrong)
      return {};
    return Rejected{Failure::WrongResult, "run by itself, gives a different result from the default"};
  }
  int wrong = 2, asked = 0;
};

TEST(Examination, WhoIsOtherwiseFromOutsideDoesNotWin) {
  const ProgramSpace space = syntheticSpace(3);
  const auto sizes = powersOfTwo(6, 10);
  OtherOutside evaluator(space, sizes, 0.02, 1);
  evaluator.wrong = Synthetic::bestAlternative(1024, 3);
  Silent silent;
  const TuneResult result = tune(space, sizes, {}, {}, evaluator, silent);
  EXPECT_GT(evaluator.asked, 0);
  EXPECT_NE(result.best.selectors()[0].select(1024), evaluator.wrong);
  EXPECT_TRUE(std::any_of(result.faults.begin(), result.faults.end(), [](const Fault &fault) {
    return fault.reason.find("run by itself") != std::string::npos;
  }));
}

/// Like Synthetic, but the best alternative is wrong at the full size, when the time is over.
struct WrongWhenLarge : Synthetic {
  WrongWhenLarge(const ProgramSpace &space, const std::vector<TestSize> &all)
      : Synthetic(space, all, 0.02, 1), sizes(all) {}
  Measurement measure(const Request &request) override {
    Measurement result = Synthetic::measure(request);
    const long n = sizes[static_cast<std::size_t>(request.size)].n;
    if (n == sizes.back().n && request.configuration.selectors()[0].select(n) == wrong)
      result = {{}, Rejected{Failure::WrongResult, "gives a different result"}};
    return result;
  }
  const std::vector<TestSize> sizes;
  const int wrong = Synthetic::bestAlternative(1024, 5);
};

// The alternative has agreed at all smaller sizes, and by chance few configurations that take it are tested
// at the last one.
TEST(Examination, WhoIsWrongAtTheFullSizeOnlyIsChosenForNoSize) {
  const ProgramSpace space = syntheticSpace(5);
  const auto sizes = powersOfTwo(6, 10);
  for (double deadline : {0.5, 2.0, 8.0, 30.0})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      WrongWhenLarge evaluator(space, sizes);
      Silent silent;
      TuneSettings settings;
      settings.deadline = deadline;
      settings.seed = seed;
      const TuneResult result = tune(space, sizes, {}, settings, evaluator, silent);
      const bool isNamed = std::any_of(result.faults.begin(), result.faults.end(), [&](const Fault &fault) {
        return fault.suspect == "Synthetic with A" + std::to_string(evaluator.wrong);
      });
      for (const Level &level : result.best.selectors()[0].levels())
        EXPECT_FALSE(isNamed && level.use == evaluator.wrong) << deadline << " s, seed " << seed;
      EXPECT_TRUE(isNamed) << deadline << " s, seed " << seed;
      EXPECT_TRUE(result.changed) << "what is left without it is faster than the default: " << deadline;
    }
}

TEST(Examination, SuccessDoesNotAcquit) {
  const ProgramSpace space = syntheticSpace(3);
  const Configuration defaults = Configuration::defaults(space);
  const Configuration other = defaults.withSelector(0, Selector(1));
  Bans bans;
  bans.convicted(space, other, defaults, {"n=17", 17, 0}, {Failure::WrongResult, ""});
  bans.worked(other, {"n=64", 64, 0});
  EXPECT_TRUE(bans.banned(0, 1, 0));
  EXPECT_TRUE(bans.uses(other, 64));
  // a failure of another kind may depend on the size: a rule that calls itself needs another rule for small
  // sizes
  Bans patient;
  patient.convicted(space, other, defaults, {"n=17", 17, 0}, {Failure::Crash, ""});
  EXPECT_FALSE(patient.banned(0, 1, 64));
}

TEST(Memory, TheShareIsPartOfWhatIsThere) {
  EXPECT_GT(memoryShare(), 1L << 20);
  EXPECT_GT(residentBytes(getpid()), 1L << 18);
  EXPECT_EQ(residentBytes(0x7fffffff), 0);
}

} // namespace
} // namespace pbc::tuner
