// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Requirement 80: sizes double; small constants stay.
#include "tuner/evaluate/steps.h"

#include <chrono>
#include <cstdlib>
#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

TEST(Steps, DoubleUpToTheFullSize) {
  const auto sizes = growingSizes({{"w", 1024}, {"h", 768}, {"KW", 7}}, {});
  ASSERT_EQ(sizes.size(), 5u);
  EXPECT_EQ(nameOf(sizes.front()), "KW=7 h=48 w=64");
  EXPECT_EQ(nameOf(sizes[1]), "KW=7 h=96 w=128");
  EXPECT_EQ(nameOf(sizes.back()), "KW=7 h=768 w=1024");
}

TEST(Steps, ParamsKeepTheirValue) {
  const auto sizes = growingSizes({{"n", 1000}, {"seed", 500}}, {"seed"});
  for (const Sizes &step : sizes)
    EXPECT_EQ(step.at("seed"), 500);
  EXPECT_EQ(sizes.back().at("n"), 1000);
  EXPECT_GE(sizes.front().at("n"), 63);
}

TEST(Steps, BelowTheFirstTheyShrinkToSixteen) {
  const auto sizes = shrinkingSizes({{"w", 64}, {"h", 48}, {"KW", 7}}, {});
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_EQ(nameOf(sizes[0]), "KW=7 h=24 w=32");
  EXPECT_EQ(nameOf(sizes[1]), "KW=7 h=16 w=16");
  EXPECT_TRUE(shrinkingSizes({{"n", 10}}, {}).empty());
}

TEST(Steps, TheOddOneBelowLeavesConstantsAlone) {
  EXPECT_EQ(nameOf(oddBelow({{"w", 64}, {"h", 49}, {"KW", 8}, {"steps", 100}}, {"steps"})),
            "KW=8 h=47 steps=100 w=63");
}

// Larger sizes are no faster: each of them would take the whole time limit again.
TEST(Steps, ADefaultThatDoesNotEndIsWaitedForOnce) {
  ::setenv("FAKE_DEFAULT", "hang", 1);
  Worker worker(FAKE_PROGRAM, {});
  std::vector<std::string> notes;
  const auto begin = std::chrono::steady_clock::now();
  try {
    prepareSteps(worker, growingSizes({{"n", 1 << 20}}, {}), 0.5,
                 [&](const std::string &line) { notes.push_back(line); });
    FAIL() << "the default does not end";
  } catch (const TunerError &problem) {
    EXPECT_THAT(problem.what(), testing::HasSubstr("does not run with its default configuration at n=256"));
  }
  ::unsetenv("FAKE_DEFAULT");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << "12 sizes at 0.5 s each";
  EXPECT_TRUE(notes.empty());
}

TEST(Steps, TinyProgramsHaveOneSize) { EXPECT_EQ(growingSizes({{"n", 10}}, {}).size(), 1u); }

TEST(Steps, ElementsAreEstimatedFromExtents) {
  ProgramSpace space;
  space.matrices = {{"In", "input", "[w, h]"},
                    {"K", "input", "[KW]"},
                    {"Out", "output", "[w-KW+1, h]"},
                    {"s", "output", ""}};
  EXPECT_EQ(estimatedElements(space, {{"w", 100}, {"h", 50}, {"KW", 7}}), 5000 + 7 + 5000 + 1);
}

} // namespace
} // namespace pbc::tuner
