// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elasticities and verdicts (bottleneck-analysis.md 10, tests 4, 5 and 7).
#include "compiler/emulate/verdict.h"
#include "tests/unit/emulate/traces.h"
#include <gtest/gtest.h>

namespace pbc::emulate {
namespace {

Core ofFigure5() {
  Core core = coreOf({{500, 100}, {100, 20}});
  core.resources[0].name = "GM";
  core.resources[1].name = "FU";
  return core;
}

Analysis analysed(const Trace &trace, int warps, const Core &core, const AnalysisOptions &options = {}) {
  return analyse(Emulation(trace, {warps}, core), options);
}

double elasticity(const Analysis &analysis, int resource, Mode mode) {
  for (const Elasticity &e : analysis.all)
    if (e.parameter == Parameter{resource, mode})
      return e.value;
  return 0;
}

TEST(Sensitivity, OfFigure5) {
  const Trace trace = straight({{0, {}}, {1, {}}, {1, {1}}});
  const Analysis found = analysed(trace, 3, ofFigure5());
  const nlohmann::json &expected = vectorNamed("fig5_sensitivity");
  EXPECT_NEAR(elasticity(found, 0, Mode::Latency), number(expected["GM.L"]), 1e-9);
  EXPECT_NEAR(elasticity(found, 0, Mode::Throughput), number(expected["GM.G"]), 1e-9);
  EXPECT_NEAR(elasticity(found, 1, Mode::Latency), number(expected["FU.L"]), 1e-9);
  EXPECT_NEAR(elasticity(found, 1, Mode::Throughput), number(expected["FU.G"]), 1e-9);
}

TEST(Sensitivity, EqualsTheClosedFormWithinARegime) {
  for (const auto &[latency, gap, count, length] :
       {std::tuple{1000, 20, 8, 10}, {100, 20, 8, 10}, {500, 100, 3, 10}, {500, 100, 16, 10}}) {
    const nlohmann::json &expected =
        vectorNamed("sens_L" + std::to_string(latency) + "_G" + std::to_string(gap) + "_C" +
                    std::to_string(count) + "_P" + std::to_string(length));
    const Core core = coreOf({{latency, gap}});
    const Trace trace = chains(1, length);
    const Analysis found = analysed(trace, count, core);
    EXPECT_EQ(inCycles(found.outcome.time), expected["T"]);
    EXPECT_NEAR(elasticity(found, 0, Mode::Latency), number(expected["S_L"]), 1e-9);
    EXPECT_NEAR(elasticity(found, 0, Mode::Throughput), number(expected["S_G"]), 1e-9);
    EXPECT_NEAR(found.sum, 1, 0.02);
  }
}

TEST(Sensitivity, FromLatencyToThroughput) {
  const Core core = ofFigure5();
  const Trace trace = loadAndUse(10);
  for (const auto &row : vectorNamed("transition")) {
    const Analysis found = analysed(trace, row["W"], core);
    EXPECT_EQ(inCycles(found.outcome.time), row["T"]);
    EXPECT_NEAR(elasticity(found, 0, Mode::Latency), row["S_GM_L"], 6e-5) << row;
    EXPECT_NEAR(elasticity(found, 0, Mode::Throughput), row["S_GM_G"], 6e-5) << row;
    EXPECT_NEAR(elasticity(found, 1, Mode::Latency), row["S_FU_L"], 6e-5) << row;
    EXPECT_NEAR(elasticity(found, 1, Mode::Throughput), row["S_FU_G"], 6e-5) << row;
    const Parameter &bottleneck = found.all.front().parameter;
    EXPECT_EQ(core.resources[static_cast<std::size_t>(bottleneck.resource)].name +
                  (bottleneck.mode == Mode::Latency ? "-L" : "-G"),
              row["bottleneck"].get<std::string>());
    EXPECT_EQ(found.isBalanced(), row["W"] == 6) << row;
  }
}

TEST(Sensitivity, BothSidesOfTheKnee) {
  const Trace trace = loadAndUse(10);
  const Analysis found = analysed(trace, 6, ofFigure5());
  const nlohmann::json &expected = vectorNamed("knee_W6");
  double forward = 0, backward = 0;
  for (const Elasticity &e : found.all)
    if (e.parameter.resource >= 0) {
      ASSERT_TRUE(e.backward);
      forward += e.value;
      backward += *e.backward;
    }
  EXPECT_NEAR(forward, expected["sum_forward"], 6e-5);
  EXPECT_NEAR(backward, expected["sum_backward"], 6e-5);
}

TEST(Sensitivity, RegionsAddUpToTheWhole) {
  const Trace trace = loadAndUse(10);
  const Analysis found = analysed(trace, 8, ofFigure5());
  const nlohmann::json &expected = vectorNamed("regionwise");
  const std::vector<std::string> resources{"GM", "FU"};
  int compared = 0;
  for (const Elasticity &e : found.all) {
    if (e.parameter.resource < 0 || e.value <= 0.01)
      continue;
    const std::string name = resources[static_cast<std::size_t>(e.parameter.resource)] +
                             (e.parameter.mode == Mode::Latency ? ".L" : ".G");
    ASSERT_EQ(e.byRegion.size(), 2U);
    EXPECT_NEAR(e.byRegion[0], expected["load/" + name], 6e-5) << name;
    EXPECT_NEAR(e.byRegion[1], expected["compute/" + name], 6e-5) << name;
    EXPECT_NEAR(e.byRegion[0] + e.byRegion[1], e.value, 1e-9) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

/// A resource that one region uses alone has all of its elasticity there.
TEST(Sensitivity, RegionsThatDoNotUseAResourceHaveNoneOfIt) {
  const Trace trace = loadAndUse(10);
  const Core core = ofFigure5();
  const Analysis found = analysed(trace, 8, core);
  for (const Elasticity &e : found.all)
    if (e.parameter.resource == 0)
      EXPECT_EQ(e.byRegion, (std::vector<double>{e.value > 0.01 ? e.value : 0, 0}));
    else if (e.parameter.resource == 1)
      EXPECT_EQ(e.byRegion, (std::vector<double>{0, e.value > 0.01 ? e.value : 0}));
}

TEST(Sensitivity, IssuingIsAResourceToo) {
  const Core core = coreOf({{4, 0.25}});
  const Trace trace = straight(std::vector<Step>(500));
  const Analysis found = analysed(trace, 4, core);
  EXPECT_EQ(found.all.front().parameter, (Parameter{Parameter::kIssue, Mode::Throughput}));
  EXPECT_GT(found.all.front().value, 0.95);
}

TEST(Verdict, NamesResourceAndMode) {
  const Core core = ofFigure5();
  const Trace trace = loadAndUse(10);
  const auto said = [&](int warps) { return sentence(verdictOf(analysed(trace, warps, core)), core); };
  EXPECT_EQ(said(2), "limited by GM latency (0.82), next FU latency (0.16)");
  EXPECT_EQ(said(12), "limited by GM throughput (0.95), next GM latency (0.04)");
  EXPECT_EQ(
      said(6),
      "limited by GM throughput (0.89), as much by GM latency (0.76); two limits meet here, so that less of "
      "one alone brings little");
  EXPECT_EQ(sentence(verdictOf(analysed(Trace(), 1, core)), core),
            "limited by nothing in particular; most by issue (0.00)");
}

TEST(Verdict, HalfOfTheBottleneckIsPredicted) {
  const Trace trace = loadAndUse(10);
  const Analysis found = analysed(trace, 12, ofFigure5());
  EXPECT_EQ(found.all.front().parameter, (Parameter{0, Mode::Throughput}));
  EXPECT_NEAR(found.all.front().halved.value(), 0.53, 0.02);
}

} // namespace
} // namespace pbc::emulate
