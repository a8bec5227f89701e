// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Spaces that are measured once and then replayed; and how a search starts from what the journal knows.
#include "tests/unit/tuner/recorded.h"
#include "tuner/evaluate/record.h"
#include "tuner/evaluate/replay.h"
#include "tuner/strategy/seeding.h"

#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

constexpr const char *kReplayInfo =
    R"({"name":"sort","hash":"5047","main":"Sort","transforms":[{"name":"Sort",
  "sites":[{"name":"Sort","alternatives":[{"name":"Merge"},{"name":"Quick"},{"name":"Bad"}]}],
  "tunables":[{"name":"block","logarithmic":true,"initial":64,"min":1,"max":4096}]}]})";

/// Quick is best from 256 on, with blocks of 512; Bad gives wrong results; every third run is disturbed.
struct Machine3 : Evaluator {
  int runs = 0;
  static double truth(const Configuration &c, long n) {
    double seconds = 1e-6 * static_cast<double>(n);
    for (long m = n; m >= 16; m /= 2)
      seconds *= c.selectors()[0].select(m) == (m < 256 ? 0 : 1) ? 1 : 1.2;
    return seconds * (1 + std::abs(std::log2(c.tunables()[0] / 512)) / 10);
  }
  Measurement measure(const Request &request) override {
    const long n = request.size == 0 ? 256 : 1024;
    for (const int use : request.configuration.selectors()[0].usedUpTo(n))
      if (use == 2)
        return {{}, Rejected{Failure::WrongResult, "gives a different result"}};
    return {{truth(request.configuration, n) * (++runs % 3 == 0 ? 5 : 1)}, {}};
  }
  double elapsed() const override { return runs * 1e-3; }
  bool stopped() const override { return false; }
};

MeasuredSpace measureAll() {
  Machine3 machine;
  std::vector<std::string> notes;
  MeasuredSpace measured =
      record(parseProgramSpace(kReplayInfo), {{"n=256", 256, 1e-3}, {"n=1024", 1024, 4e-3}}, kReplayInfo,
             {400, 3, 20}, machine, [&](const std::string &line) { notes.push_back(line); });
  EXPECT_EQ(notes.size(), 2u);
  return measured;
}

TEST(MeasuredSpace, HoldsTheBestRunOfEveryPointAndWhyOthersFailed) {
  const MeasuredSpace measured = measureAll();
  const Grid grid = measured.grid();
  ASSERT_EQ(measured.points.size(), 2u);
  for (std::uint64_t i = 0; i < grid.size(); ++i) {
    const MeasuredPoint &point = measured.points[1][i];
    const auto used = grid.at(i).selectors()[0].usedUpTo(1024);
    if (std::find(used.begin(), used.end(), 2) != used.end()) {
      EXPECT_EQ(point.failure, Failure::WrongResult);
    } else {
      EXPECT_DOUBLE_EQ(point.seconds, Machine3::truth(grid.at(i), 1024));
    }
  }
}

/// All configurations take the same time; runs vary, and some are interrupted by another program.
struct AllEqual : Evaluator {
  Random random{5};
  int every = 0, runs = 0; // of so many, one is stopped at its limit
  Measurement measure(const Request &) override {
    if (every > 0 && ++runs % every == 0)
      return {{}, Rejected{Failure::TooSlow, "stopped at its time limit"}};
    return {{1e-3 * std::exp(0.1 * std::abs(random.normal()))}, {}};
  }
  double elapsed() const override { return 0; }
  bool stopped() const override { return false; }
};

TEST(MeasuredSpace, LuckMakesNoPointTheBest) {
  AllEqual machine;
  const MeasuredSpace measured = record(parseProgramSpace(kReplayInfo), {{"n=1024", 1024, 1e-3}}, kReplayInfo,
                                        {400, 15, 20}, machine, [](const std::string &) {});
  std::vector<double> seconds;
  for (const MeasuredPoint &point : measured.points[0])
    seconds.push_back(point.seconds);
  ASSERT_GT(seconds.size(), 200u);
  // With only 15 passes it was 2.4 % below.
  EXPECT_GT(*std::min_element(seconds.begin(), seconds.end()) / median(seconds), 0.98);
}

TEST(MeasuredSpace, OneInterruptedRunMakesNoPointTooSlow) {
  AllEqual machine;
  machine.every = 97;
  const MeasuredSpace measured = record(parseProgramSpace(kReplayInfo), {{"n=1024", 1024, 1e-3}}, kReplayInfo,
                                        {400, 5, 20}, machine, [](const std::string &) {});
  for (const MeasuredPoint &point : measured.points[0])
    EXPECT_FALSE(point.failure);
}

TEST(MeasuredSpace, IsTheSameAfterAFile) {
  const MeasuredSpace before = measureAll();
  const MeasuredSpace after = measuredSpaceFromJson(toJson(before), "file");
  ASSERT_EQ(after.points.size(), before.points.size());
  for (std::size_t size = 0; size < before.points.size(); ++size)
    for (std::size_t i = 0; i < before.points[size].size(); ++i) {
      EXPECT_EQ(after.points[size][i].failure, before.points[size][i].failure);
      EXPECT_NEAR(after.points[size][i].seconds, before.points[size][i].seconds,
                  1e-3 * before.points[size][i].seconds);
    }
  EXPECT_EQ(after.sizes.back().n, 1024);
  EXPECT_EQ(after.fineness, before.fineness);
}

TEST(MeasuredSpace, RefusesWhatItCannotBe) {
  const std::string good = toJson(measureAll());
  const auto refusalOf = [](const std::string &text) -> std::string {
    try {
      measuredSpaceFromJson(text, "a.json");
    } catch (const TunerError &problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(refusalOf(good), "");
  EXPECT_THAT(refusalOf("{"), testing::HasSubstr("a.json: is not a measured space"));
  EXPECT_THAT(refusalOf("{}"), testing::HasSubstr("a.json: is not a measured space"));
  std::string other = good;
  other.replace(other.find("\"values\":"), 10, "\"values\":2");
  EXPECT_THAT(refusalOf(other), testing::HasSubstr("the grid over its space has"));
}

TEST(Replay, AnswersWithTheNearestPointAndNeverBelowIt) {
  const MeasuredSpace measured = measuredSpaceFromJson(toJson(measureAll()), "file");
  Replay replay(measured, 1);
  const Configuration c = Configuration::defaults(measured.space).withTunable(0, 70);
  for (int i = 0; i < 20; ++i) {
    const Measurement result = replay.measure({c, 1, 2, 1e3});
    ASSERT_EQ(result.seconds.size(), 2u);
    EXPECT_GE(result.seconds[0], replay.truth(c));
  }
  EXPECT_EQ(replay.pointsSeen(), 1u);
  EXPECT_LE(replay.optimum(), replay.truth(c));
  const Measurement slow = replay.measure({c, 1, 1, 1e-9});
  ASSERT_TRUE(slow.rejected);
  EXPECT_EQ(slow.rejected->kind, Failure::TooSlow);
  EXPECT_TRUE(replay.measure({c.withSelector(0, Selector(2)), 1, 1, 1}).rejected);
}

TEST(Seeding, TheNearestPlacesFirst) {
  const ProgramSpace space = sortSpace();
  HandMade journal(space);
  journal.ok(64, sorting(space, 1, 64), {1e-3}).ok(64, sorting(space, 1, 8), {2e-3});
  journal.ok(4096, sorting(space, 0, 512), {1e-3}); // here: remembered anyway
  journal.bad(128, sorting(space, 2), Failure::WrongResult, "").ok(128, sorting(space, 2), {1e-6});
  std::vector<JournalEntry> entries = journal.entries();
  JournalEntry elsewhere = entries[0];
  elsewhere.machine = "another machine";
  elsewhere.toml = toToml(space, sorting(space, 1, 32), {});
  entries.insert(entries.begin(), elsewhere);
  JournalEntry foreign = elsewhere;
  foreign.size = "n=512";
  foreign.toml = "program = \"other\"\n";
  entries.push_back(foreign);
  const auto seeds = storedSeeds(space, entries, {"a machine", "n=4096 seed=1"}, 4);
  ASSERT_EQ(seeds.size(), 2u);
  EXPECT_EQ(seeds[0], sorting(space, 1, 64)) << "this machine, at another size";
  EXPECT_EQ(seeds[1], sorting(space, 1, 32)) << "then another machine";
  EXPECT_EQ(storedSeeds(space, entries, {"a machine", "n=4096 seed=1"}, 1).size(), 1u);
}

} // namespace
} // namespace pbc::tuner
