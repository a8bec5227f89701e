// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tunables with several values, accuracy bins, and reaching a target.
#include "tuner/space/toml.h"
#include "tuner/strategy/bans.h"
#include "tuner/strategy/mutators.h"
#include "tuner/strategy/reach.h"

#include <cmath>
#include <gtest/gtest.h>

namespace pbc::tuner {
namespace {

const char *kInfo = R"({"name":"p","hash":"h","main":"Solve<0>","transforms":[
 {"name":"Solve<0>","sizes":["n"],"accuracy_metric":"Q","accuracy_target":0.5,"accuracy_better":"larger",
  "sites":[{"name":"Solve<0>","key":"choice","doc":"","alternatives":[{"name":"A","doc":""},{"name":"B","doc":""}]}],
  "tunables":[{"name":"rounds","kind":"integer","initial":1,"min":1,"max":100,"by_size":32,"accuracy":true},
              {"name":"w","kind":"float","initial":0.5,"min":0,"max":1,"length":3},
              {"name":"mine","kind":"integer","initial":7,"min":0,"max":9,"config":true}]},
 {"name":"Solve<1>","accuracy_metric":"Q","accuracy_target":0.9,"accuracy_better":"larger","tunables":[]}]})";

int indexOf(const ProgramSpace &space, int bin) {
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (space.tunables[i].sizeBin == bin)
      return static_cast<int>(i);
  return -1;
}

TEST(Accuracy, SpaceOfBinsAndSeveralValues) {
  const ProgramSpace space = parseProgramSpace(kInfo);
  EXPECT_EQ(space.tunables.size(), 32u + 3 + 1);
  EXPECT_EQ(space.bins, (std::vector<std::string>{"Solve<0>", "Solve<1>"}));
  ASSERT_TRUE(space.goal);
  EXPECT_TRUE(space.goal->isMetBy(0.5));
  EXPECT_FALSE(space.goal->isMetBy(0.49));
  EXPECT_FALSE(space.goal->isMetBy(std::nan("")));
  EXPECT_EQ(parseProgramSpace(kInfo, "Solve<1>").goal->target, 0.9);
  EXPECT_EQ(space.openDecisions(), 1 + 1 + 3); // choice, rounds, w
}

TEST(Accuracy, ValuesStandTogetherInToml) {
  const ProgramSpace space = parseProgramSpace(kInfo);
  Configuration c = Configuration::defaults(space);
  c = c.withValueAt(space, indexOf(space, 6), 4, 64); // and all larger
  c = c.withTunable(indexOf(space, 3), 9);
  c = c.withTunable(33, 0.25);
  const std::string text = toToml(space, c, {});
  EXPECT_NE(
      text.find(
          "rounds = [ { below = 8, value = 1 }, { below = 16, value = 9 }, { below = 64, value = 1 }, { "
          "value = 4 } ]\nw = [0.5, 0.25, 0.5]\nmine = 7\n"),
      std::string::npos)
      << text;
  EXPECT_EQ(fromToml(space, text, "t"), c);
  EXPECT_EQ(fromToml(space, "[\"Solve<0>\"]\nrounds = 5\nw = 0.75\n", "t").tunables()[40 - 36], 5);
  EXPECT_THROW(fromToml(space, "[\"Solve<0>\"]\nrounds = [ { value = 101 } ]\n", "t"), TunerError);
}

TEST(Accuracy, MutationsLeaveWhatWasDecidedAtSmallerSizes) {
  const ProgramSpace space = parseProgramSpace(kInfo);
  Random random(3);
  const Configuration start = Configuration::defaults(space);
  Configuration c = start;
  for (int i = 0; i < 2000; ++i)
    c = mutate(space, Bans(), c, 1024, random).value_or(c);
  for (int bin = 0; bin < 10; ++bin)
    EXPECT_EQ(c.tunables()[indexOf(space, bin)], 1) << bin;
  EXPECT_EQ(c.tunables()[indexOf(space, 31)], c.tunables()[indexOf(space, 10)]);
  EXPECT_EQ(c.tunables().back(), 7); // config
  for (const long n : {1, 64, 511, 512})
    EXPECT_EQ(c.selectors()[0].select(n), 0);
  EXPECT_EQ(fromToml(space, toToml(space, c, {}), "t"), c);
}

TEST(Accuracy, ReachesATargetThatTakesManyRounds) {
  const ProgramSpace space = parseProgramSpace(kInfo);
  int asked = 0;
  const Reached r = reach(space, Configuration::defaults(space), 64, [&](const Configuration &c) {
    ++asked;
    return std::optional(1 - std::exp(-c.tunables()[indexOf(space, 6)] / 60));
  });
  EXPECT_TRUE(r.met);
  EXPECT_GE(r.configuration.tunables()[indexOf(space, 6)], 42); // 60 ln 2
  EXPECT_EQ(r.configuration.tunables()[indexOf(space, 5)], 1);
  EXPECT_EQ(r.configuration.tunables()[indexOf(space, 31)], r.configuration.tunables()[indexOf(space, 6)]);
  EXPECT_LT(asked, 100);
}

TEST(Accuracy, TakesAnotherAlternativeWhereValuesDoNotHelp) {
  const ProgramSpace space = parseProgramSpace(kInfo);
  const Reached r = reach(space, Configuration::defaults(space), 64, [](const Configuration &c) {
    return std::optional(c.selectors()[0].select(64) == 1 ? 0.75 : 0.25);
  });
  EXPECT_TRUE(r.met);
  EXPECT_EQ(r.configuration.selectors()[0].select(64), 1);
  EXPECT_EQ(r.configuration.selectors()[0].select(32), 0);
}

/// B's first round is no more accurate than A, and A stays as it is.
TEST(Accuracy, ClimbsFromEachAlternative) {
  const ProgramSpace space = parseProgramSpace(kInfo);
  const Reached reached =
      reach(space, Configuration::defaults(space), 64, [&](const Configuration &c) -> std::optional<double> {
        const bool isB = c.selectors()[0].select(64) == 1;
        return isB ? 1 - std::pow(0.7, c.tunables()[static_cast<std::size_t>(indexOf(space, 6))]) : 0.3;
      });
  EXPECT_TRUE(reached.met);
  EXPECT_EQ(reached.configuration.selectors()[0].select(64), 1);
}

TEST(Accuracy, SaysWhenATargetIsOutOfReach) {
  const ProgramSpace space = parseProgramSpace(kInfo, "Solve<0>");
  const Reached r = reach(space, Configuration::defaults(space), 64, [&](const Configuration &c) {
    return std::optional(c.tunables()[indexOf(space, 6)] / 1000);
  });
  EXPECT_FALSE(r.met);
  EXPECT_EQ(r.accuracy, 0.1); // the most exact: 100 rounds
  const Reached none = reach(space, Configuration::defaults(space), 64,
                             [](const Configuration &) { return std::optional<double>(); });
  EXPECT_FALSE(none.met);
}

} // namespace
} // namespace pbc::tuner
