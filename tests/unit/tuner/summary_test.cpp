// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The summary at the end must be true of the configuration that is left.
#include "tests/unit/tuner/synthetic.h"
#include "tuner/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A search that made it twice as fast, in three rounds.
Summary twiceAsFast(const ProgramSpace &space) {
  Summary summary;
  summary.program = "./synthetic";
  summary.output = "synthetic.cfg";
  summary.sizes = summary.fullSizes = "n=64";
  summary.result.best = Configuration::defaults(space).withSelector(0, Selector(1));
  summary.result.changed = summary.result.raced = true;
  summary.result.defaultSeconds = 0.002;
  summary.result.bestSeconds = 0.001;
  summary.result.defaultTimes = {0.002, 0.002, 0.002};
  summary.result.bestTimes = {0.001, 0.001, 0.001};
  return summary;
}

TEST(Summary, SaysWhatWasFound) {
  const ProgramSpace space = syntheticSpace(3);
  const Summary summary = twiceAsFast(space);
  const auto json = nlohmann::json::parse(asJson(space, summary));
  EXPECT_EQ(json["tuned_seconds"], 0.001);
  EXPECT_EQ(json["speedup"], 2);
  EXPECT_EQ(json["changed"], true);
  EXPECT_EQ(json["left_as_it_is"], false);
  EXPECT_THAT(asText(space, summary), HasSubstr("written to    synthetic.cfg"));
}

// The choices are then those of the earlier file, so a time of the search would stand beside choices for
// which it was not measured.
TEST(Summary, HasNoTimesOfAnEarlierConfigurationThatStays) {
  const ProgramSpace space = syntheticSpace(3);
  Summary summary = twiceAsFast(space);
  summary.stopped = summary.kept = true;
  summary.result.best = Configuration::defaults(space);
  const auto json = nlohmann::json::parse(asJson(space, summary));
  for (const char *key : {"tuned_seconds", "speedup", "speedup_interval"})
    EXPECT_FALSE(json.contains(key)) << key;
  EXPECT_EQ(json["changed"], false);
  EXPECT_EQ(json["left_as_it_is"], true);
  const std::string text = asText(space, summary);
  EXPECT_THAT(text, HasSubstr("left as it is synthetic.cfg"));
  EXPECT_THAT(text, Not(HasSubstr("2.00 times")));
}

} // namespace
} // namespace pbc::tuner
