// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Requirements 78, 79, 81, 86, 87, 88 on a program that is a formula.
#include "tests/unit/sanitized.h"
#include "tests/unit/tuner/synthetic.h"

#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

struct Searched {
  TuneResult result;
  double quality = 0; // time at the full size / the optimum
  int requests = 0;
  std::vector<std::string> history;
};

Searched search(const ProgramSpace &space, const std::vector<TestSize> &sizes, std::uint64_t seed,
                double noise) {
  Synthetic evaluator(space, sizes, noise, seed * 77);
  Silent silent;
  TuneSettings settings;
  settings.deadline = 1000;
  settings.seed = seed;
  Searched run;
  run.result = tune(space, sizes, {}, settings, evaluator, silent);
  const long n = sizes.back().n;
  run.quality = evaluator.truth(run.result.best, n) / evaluator.optimum(n);
  run.requests = evaluator.requests;
  run.history = evaluator.history;
  return run;
}

/// Twelve levels and a ratio; at most 9000 requests. Measured with this seed range: 40 of 40 without
/// noise, 39 with 2 %; with 5 % noise it is 14, because one wrong level of 12 is then hardly more than the
/// noise.
TEST(Search, FindsTheOptimumOfTwelveLevelsAndARatio) {
  const ProgramSpace space = syntheticSpace();
  const long seeds = scaled(40);
  for (double noise : {0.0, 0.02}) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
      const Searched run = search(space, powersOfTwo(1, 23), seed, noise);
      EXPECT_LE(run.requests, 9000);
      found += run.quality < 1.0001;
    }
    EXPECT_GE(found, 38 * seeds / 40) << "noise " << noise;
  }
}

TEST(Search, FindsThreeLevelsUnderHeavyNoise) {
  const ProgramSpace space = syntheticSpace(3);
  int good = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    good += search(space, powersOfTwo(6, 12), seed, 0.1).quality < 1.2;
  EXPECT_GE(good, 17);
}

TEST(Search, IsTheSameForTheSameSeed) {
  const ProgramSpace space = syntheticSpace();
  const Searched a = search(space, powersOfTwo(4, 12), 5, 0.02),
                 b = search(space, powersOfTwo(4, 12), 5, 0.02);
  EXPECT_EQ(a.result.best, b.result.best);
  EXPECT_EQ(a.history, b.history);
  EXPECT_NE(a.history, search(space, powersOfTwo(4, 12), 6, 0.02).history);
}

/// A schedule whose start takes long, and whose points take a quarter of the time.
TEST(Search, ASchedulePaysFromACutOffOn) {
  const ProgramSpace space = parseProgramSpace(
      R"({"name": "p", "hash": "h", "compiler": "pbc", "main": "T", "devices": [], "transforms": [{"name": "T", "sites": [
        {"name": "place_a", "key": "place_a", "doc": "", "device": true, "alternatives": [{"name": "cpu", "doc": ""},
         {"name": "cpu:wide", "doc": ""}, {"name": "gpu", "doc": "", "device": true}]}], "tunables": []}]})",
      "");
  struct Program : Evaluator {
    Measurement measure(const Request &request) override {
      const double n = static_cast<double>(sizes[request.size].n);
      const bool isWide = request.configuration.selectors()[0].select(sizes[request.size].n) == 1;
      Measurement result;
      for (int i = 0; i < request.trials; ++i) {
        result.seconds.push_back((isWide ? 300 + n / 4 : n) * 1e-5 * random.lognormal(0.02));
        clock += result.seconds.back();
      }
      return result;
    }
    double elapsed() const override { return clock; }
    bool stopped() const override { return false; }
    std::vector<TestSize> sizes = powersOfTwo(5, 14);
    double clock = 0;
    Random random{5};
  } program;
  Silent silent;
  TuneSettings settings;
  settings.deadline = 1000;
  const TuneResult result = tune(space, program.sizes, {}, settings, program, silent);
  const Selector &place = result.best.selectors()[0];
  EXPECT_EQ(place.select(128), 0);
  EXPECT_EQ(place.select(1024), 1);
  EXPECT_EQ(place.select(1L << 14), 1);
}

TEST(Search, NothingToGainKeepsTheDefault) {
  struct Flat : Evaluator {
    Random random{1};
    double clock = 0;
    Measurement measure(const Request &request) override {
      Measurement result;
      for (int i = 0; i < request.trials; ++i)
        result.seconds.push_back(0.01 * random.lognormal(0.05));
      clock += 0.01 * request.trials;
      return result;
    }
    double elapsed() const override { return clock; }
    bool stopped() const override { return false; }
    bool renew() override { return true; }
  };
  const ProgramSpace space = syntheticSpace(4);
  int changed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Flat flat;
    flat.random = Random(seed);
    Silent silent;
    TuneSettings settings;
    settings.deadline = 20;
    settings.seed = seed;
    changed += tune(space, powersOfTwo(6, 10), {}, settings, flat, silent).changed;
  }
  // Measured: 27. Three runners are compared several times; what is chosen by accident is as fast as the
  // default.
  EXPECT_LE(changed, 36);
}

TEST(Search, RejectedAlternativesNeverWinAndAreNamed) {
  const ProgramSpace space = syntheticSpace(4);
  const auto sizes = powersOfTwo(6, 14);
  Synthetic evaluator(space, sizes, 0.02, 1);
  evaluator.rejects = [](const Configuration &c, long n) {
    const auto used = c.selectors()[0].usedUpTo(n);
    return std::find(used.begin(), used.end(), 2) != used.end();
  };
  Silent silent;
  const TuneResult result = tune(space, sizes, {}, {}, evaluator, silent);
  for (const Level &level : result.best.selectors()[0].levels())
    EXPECT_NE(level.use, 2);
  ASSERT_FALSE(result.faults.empty());
  EXPECT_EQ(result.faults[0].suspect, "Synthetic with A2");
  EXPECT_EQ(result.faults[0].n, 64);
  EXPECT_LE(result.faults[0].times, 5) << "a banned alternative is tried again";
}

TEST(Search, StopsAtOnceAndKeepsWhatItHas) {
  const ProgramSpace space = syntheticSpace();
  const auto sizes = powersOfTwo(4, 20);
  for (int stopAfter : {1, 2, 30, 200, 1000}) {
    Synthetic evaluator(space, sizes, 0.02, 3);
    evaluator.stopAfter = stopAfter;
    Silent silent;
    TuneSettings settings;
    settings.deadline = 1e6;
    const TuneResult result = tune(space, sizes, {}, settings, evaluator, silent);
    EXPECT_LE(evaluator.requests, stopAfter + 3);
    EXPECT_TRUE(result.best.fits(space));
    EXPECT_FALSE(result.raced);
    EXPECT_LE(result.bestSeconds, result.defaultSeconds);
    EXPECT_TRUE(stopAfter < 1000 || result.changed);
  }
}

/// Also if the next size has just begun, and only the default has been measured there.
TEST(Search, WheneverItIsStoppedWhatWasFoundIsKept) {
  const ProgramSpace space = syntheticSpace();
  const auto sizes = powersOfTwo(4, 12);
  const auto stoppedAfter = [&](int requests) {
    Synthetic evaluator(space, sizes, 0, 3);
    evaluator.stopAfter = requests;
    Silent silent;
    TuneSettings settings;
    settings.deadline = 1e6;
    return tune(space, sizes, {}, settings, evaluator, silent);
  };
  bool wasFound = false;
  for (int requests = 1; requests <= 700; requests += kSanitized ? 9 : 1) {
    const TuneResult result = stoppedAfter(requests);
    EXPECT_TRUE(result.changed || !wasFound) << "stopped after " << requests;
    wasFound = wasFound || result.changed;
  }
  EXPECT_TRUE(wasFound);
}

/// For its first second the machine is twice as fast: configurations that are tried later are slower than
/// those that were measured then.
struct Drifting : Synthetic {
  using Synthetic::Synthetic;
  Measurement measure(const Request &request) override {
    const double speed = clock < 1 ? 2 : 1;
    Measurement result = Synthetic::measure(request);
    for (double &seconds : result.seconds)
      seconds /= speed;
    return stopped() ? Measurement{} : result;
  }
};

/// Of 40 seeds, it finds 3 if old times are kept.
TEST(Search, TimesOfABetterMomentAreNotTheMeasure) {
  const ProgramSpace space = syntheticSpace(5);
  const auto sizes = powersOfTwo(10, 10);
  int found = 0;
  constexpr int kSeeds = 20;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Drifting evaluator(space, sizes, 0.02, seed);
    Silent silent;
    TuneSettings settings;
    settings.deadline = 30;
    settings.seed = seed;
    const TuneResult result = tune(space, sizes, {}, settings, evaluator, silent);
    found += evaluator.truth(result.best, 1024) < 1.02 * evaluator.optimum(1024);
  }
  EXPECT_GE(found, kSeeds - 2);
}

/// Also while times are measured again.
TEST(Search, StoppedOnAMachineThatHasChangedItKeepsWhatItHas) {
  const ProgramSpace space = syntheticSpace(5);
  const auto sizes = powersOfTwo(10, 10);
  bool wasFound = false;
  for (int requests = 1; requests <= 400; requests += kSanitized ? 9 : 1) {
    Drifting evaluator(space, sizes, 0.02, 1);
    evaluator.stopAfter = requests;
    Silent silent;
    const TuneResult result = tune(space, sizes, {}, {.deadline = 1e6}, evaluator, silent);
    EXPECT_TRUE(result.changed || !wasFound) << "stopped after " << requests;
    wasFound = wasFound || result.changed;
  }
  EXPECT_TRUE(wasFound);
}

TEST(Tester, AChildMustBeSignificantlyFaster) {
  const ProgramSpace space = syntheticSpace();
  const auto sizes = powersOfTwo(10, 10);
  Synthetic evaluator(space, sizes, 0.05, 9);
  Silent silent;
  Tester tester(space, sizes, evaluator, silent);
  const Configuration slow = Configuration::defaults(space), fast = slow.withTunable(0, 5);
  for (int i = 0; i < 20; ++i) {
    Candidate a{slow, {}}, b{fast, {}};
    ASSERT_TRUE(tester.test(a, 0, 1, slow));
    ASSERT_TRUE(tester.test(b, 0, 1, slow));
    EXPECT_TRUE(tester.beats(b, a, 0));
    EXPECT_FALSE(tester.beats(a, b, 0));
    EXPECT_LE(a.seconds[0].size(), 5u);
  }
}

/// A machine that is three times as slow from some moment on: by earlier limits everything is too slow.
struct Slowing : Evaluator {
  bool isSlow = false;
  int requests = 0;
  Measurement measure(const Request &request) override {
    ++requests;
    // Alternative 1 is as fast as the default, 2 is really too slow.
    const double seconds =
        (request.configuration.selectors()[0].select(64) == 2 ? 0.1 : 0.01) * (isSlow ? 3 : 1);
    if (seconds > request.limit)
      return {{}, Rejected{Failure::TooSlow, "stopped at its time limit"}};
    return {std::vector<double>(static_cast<std::size_t>(request.trials), seconds), {}};
  }
  double elapsed() const override { return 0; }
  bool stopped() const override { return false; }
};

TEST(Tester, ABusyMachineBansNothing) {
  const ProgramSpace space = syntheticSpace(4);
  const auto sizes = powersOfTwo(6, 6);
  const Configuration defaults = Configuration::defaults(space);
  Slowing evaluator;
  Silent silent;
  Tester tester(space, sizes, evaluator, silent);
  Candidate first{defaults, {}};
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(tester.test(first, 0, 1, defaults));
  evaluator.isSlow = true;
  for (int use : {1, 2})
    for (int ratio = 0; ratio < 4; ++ratio) {
      // Each has a parent that differs only in the alternative.
      const Configuration parent = defaults.withTunable(0, ratio);
      Candidate child{parent.withSelector(0, Selector(use)), {}};
      EXPECT_EQ(tester.test(child, 0, 1, parent), use == 1 && ratio >= 2) << use << ' ' << ratio;
    }
  EXPECT_FALSE(tester.bans().banned(0, 1, 64));
  EXPECT_TRUE(tester.bans().banned(0, 2, 64));
}

/// Runs of 50 microseconds, nearly all of which are interrupted by other programs; but three in a row never
/// are.
TEST(ShortRaces, AreDecidedWhereOthersAreAtWork) {
  struct Sliced : Evaluator {
    Random random{3};
    Measurement measure(const Request &request) override {
      const double seconds = request.configuration.selectors()[0].select(64) == 1 ? 5e-5 : 3e-4;
      Measurement result;
      for (int i = 0; i < request.trials; ++i)
        result.seconds.push_back(seconds + (i == 0 ? 0.0038 * (1 + 0.1 * random.unit()) : 0));
      return result;
    }
    double elapsed() const override { return 0; }
    bool stopped() const override { return false; }
  } evaluator;
  const ProgramSpace space = syntheticSpace(4);
  std::vector<TestSize> sizes = powersOfTwo(6, 6);
  sizes[0].defaultSeconds = 3e-4;
  Silent silent;
  Tester tester(space, sizes, evaluator, silent);
  const Configuration fast = Configuration::defaults(space).withSelector(0, Selector(1));
  const RaceResult result = race(tester, {fast}, 0, 1);
  EXPECT_TRUE(result.changed);
  EXPECT_EQ(result.winner, fast);
  EXPECT_LT(result.winnerSeconds, 1e-4);
}

} // namespace
} // namespace pbc::tuner
