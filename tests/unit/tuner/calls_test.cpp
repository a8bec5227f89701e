// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which numbers are not searched because their transform does not run with the chosen alternatives.
#include "tuner/space/calls.h"
#include "tuner/space/configuration.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

/// Each transform has a tunable "t"; `choice`: what its alternatives A and B call.
std::string transformJson(const std::string &name, const std::string &calls, const std::string &choice,
                          const std::string &more = "") {
  const std::string sites =
      choice.empty() ? "" : fmt::format(R"({{"name": "{}", "alternatives": [{}]}})", name, choice);
  return fmt::format(R"({{"name": "{}", "calls": [{}], "sites": [{}], {}
      "tunables": [{{"name": "t", "kind": "integer", "initial": 1, "min": 1, "max": 9}}]}})",
                     name, calls, sites, more);
}

ProgramSpace spaceOf(const std::string &transforms) {
  return parseProgramSpace(
      fmt::format(R"({{"name": "p", "hash": "h", "main": "Main", "transforms": [{}]}})", transforms));
}

constexpr const char *kAOrB = R"({"name": "A", "calls": ["X"]}, {"name": "B", "calls": ["Y", "Z"]})";

/// The transforms whose tunable may change.
std::vector<std::string> open(const ProgramSpace &space, const Configuration &configuration) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (configuration.mayChange(space, static_cast<int>(i), 100))
      names.push_back(space.tunables[i].transform);
  return names;
}

TEST(Calls, WhatAnotherAlternativeCallsIsLeftAlone) {
  const ProgramSpace space =
      spaceOf(transformJson("Main", R"("X", "Y", "Z")", kAOrB) + "," + transformJson("X", "", "") + "," +
              transformJson("Y", "", "") + "," + transformJson("Z", "", ""));
  const Configuration a = Configuration::defaults(space);
  EXPECT_THAT(open(space, a), testing::ElementsAre("Main", "X"));
  EXPECT_THAT(open(space, a.withSelector(0, Selector(1))), testing::ElementsAre("Main", "Y", "Z"));
  // It is enough if it runs at some size, even above the tested one, because calls have sizes of their own.
  EXPECT_THAT(open(space, a.withSelector(0, Selector(0).withRangeForced(5000, kNoLimit, 1))),
              testing::ElementsAre("Main", "X", "Y", "Z"));
}

TEST(Calls, WhatIsCalledInAnyCaseStaysOpen) {
  const ProgramSpace space =
      spaceOf(transformJson("Main", R"("X", "Y", "Both", "Fixed")",
                            R"({"name": "A", "calls": ["X", "Both"]}, {"name": "B", "calls": ["Y", "Both"]})",
                            R"("accuracy_metric": "X",)") +
              "," + transformJson("X", "", "") + "," + transformJson("Y", R"("Below<3>")", "") + "," +
              transformJson("Both", "", "") + "," + transformJson("Fixed", R"("Below")", "") + "," +
              transformJson("Below<2>", "", "") + "," + transformJson("Other", "", ""));
  EXPECT_THAT(open(space, Configuration::defaults(space)),
              testing::ElementsAre("Main", "X", "Both", "Fixed", "Below<2>", "Other"));
}

TEST(Calls, ConditionsHoldAllTheWay) {
  const ProgramSpace space =
      spaceOf(transformJson("Main", R"("X", "Y", "Z")", kAOrB) + "," +
              transformJson("Y", R"("Deep", "Pass")",
                            R"({"name": "C", "calls": []}, {"name": "D", "calls": ["Deep"]})") +
              "," + transformJson("Deep", "", "") + "," + transformJson("Pass", R"("Last")", "") + "," +
              transformJson("Last", "", ""));
  const Configuration none = Configuration::defaults(space);
  const Configuration deep = none.withSelector(1, Selector(1));
  EXPECT_THAT(open(space, none), testing::ElementsAre("Main"));
  EXPECT_THAT(open(space, deep), testing::ElementsAre("Main")) << "Y chooses it, but does not run";
  EXPECT_FALSE(deep.mayChangeSite(space, 1));
  const Configuration reached = deep.withSelector(0, Selector(1));
  EXPECT_TRUE(reached.mayChangeSite(space, 1));
  EXPECT_THAT(open(space, reached), testing::ElementsAre("Main", "Y", "Deep", "Pass", "Last"));
}

TEST(Calls, TransformsThatCallEachOtherEnd) {
  const ProgramSpace space = spaceOf(
      transformJson("Main", R"("X", "Y", "Z")", kAOrB) + "," +
      transformJson("X", R"("Y")", R"({"name": "C", "calls": ["Y"]}, {"name": "D", "calls": ["X"]})") + "," +
      transformJson("Y", R"("X", "Main")", R"({"name": "E", "calls": ["X", "Main"]}, {"name": "F"})"));
  EXPECT_THAT(open(space, Configuration::defaults(space)), testing::ElementsAre("Main", "X", "Y"));
}

TEST(Calls, ProgramsThatDoNotSayAreOpen) {
  const ProgramSpace space = spaceOf(transformJson("Main", "", R"({"name": "A"}, {"name": "B"})") + "," +
                                     transformJson("X", "", ""));
  EXPECT_THAT(open(space, Configuration::defaults(space)), testing::ElementsAre("Main", "X"));
}

} // namespace
} // namespace pbc::tuner
