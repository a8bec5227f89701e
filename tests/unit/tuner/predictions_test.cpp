// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `pbc tune --kernels --guide` makes of predictions.
#include "tuner/kernels/kernel_summary.h"
#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char *const kSaid =
    R"json({"machine": "m", "kernels": [{"name": "T.a", "schedule": "vector(x)", "seconds": 2e-6,
  "verdict": "limited by L2 throughput (0.80)", "elasticities": [
    {"parameter": "L2 throughput", "value": 0.8, "remedies": [{"step": "tile", "why": "."}, {"step": "order", "why": "."}]},
    {"parameter": "L3 latency", "value": 0.1, "remedies": [{"step": "order", "why": "."}]}, {"parameter": "loads throughput", "value": 0.05}],
  "try": {"schedule": "tasks(); vector(x); jam(y; 4)", "seconds": 1e-6, "times_as_fast": 2.0,
  "path": [{}, {"jam": "4"}], "path_schedules": ["tasks(); vector(x)", "tasks(); vector(x); jam(y; 2)", "tasks(); vector(x); jam(y; 4)"],
  "predictions": 9}}]})json";

KernelOption predictedKernel() {
  return {"T", "a", "tile", "tasks(); vector(x)", {"vector(x)"}, "scalar(x)", {"n"}, 1};
}

TEST(KernelPrediction, IsReadFromWhatEmulateSays) {
  const KernelPrediction p = parsePrediction(kSaid, predictedKernel());
  EXPECT_EQ(p.title(), "T.a");
  EXPECT_EQ(p.limit, "limited by L2 throughput (0.80)");
  EXPECT_DOUBLE_EQ(p.timesAsFast, 2);
  EXPECT_THAT(seedOf(p, predictedKernel()).others,
              ElementsAre("tasks(); vector(x); jam(y; 4)", "tasks(); vector(x); jam(y; 2)"))
      << "the path, without what is in use";
  EXPECT_THAT(p.remedies, ElementsAre("order", "tile")) << "by all that depends on them";
  EXPECT_THROW(parsePrediction("{}", predictedKernel()), TunerError);
}

TEST(KernelPrediction, OfAKernelThatIsNotPredictedSaysWhy) {
  const KernelPrediction p = parsePrediction(
      R"({"kernels": [{"name": "T.a", "why": "its body was not lifted"}]})", predictedKernel());
  EXPECT_EQ(p.why, "its body was not lifted");
  EXPECT_THAT(seedOf(p, predictedKernel()).others, IsEmpty());
}

TEST(KernelPrediction, IsNoSeedIfItIsInUse) {
  KernelPrediction p = parsePrediction(kSaid, predictedKernel());
  p.script = "tasks(); vector(x)";
  p.path.clear();
  EXPECT_THAT(seedOf(p, predictedKernel()).others, IsEmpty());
}

/// Predicts what it was given.
class Known : public Advice {
public:
  std::map<std::string, double> times;
  int questions = 0;
  std::vector<double> seconds(const KernelOption &, const std::vector<std::string> &scripts) override {
    ++questions;
    std::vector<double> all;
    for (const std::string &script : scripts)
      all.push_back(times[script]);
    return all;
  }
};

KernelOption edits(std::vector<std::string> others) {
  return {"T", "a", "tile", "now", std::move(others), "", {"n"}, 1};
}

TEST(Screen, TriesWhatIsPredictedToBeFastFirst) {
  Known advice;
  advice.times = {{"now", 1}, {"a", 1.2}, {"b", 0.5}, {"d", 0.9}};
  Screen screen(&advice);
  EXPECT_THAT(screen.worth(edits({"a", "b", "c", "d"})), ElementsAre("b", "d", "c", "a"))
      << "c is not predicted";
  EXPECT_EQ(screen.leftOut(), 0);
}

TEST(Screen, LeavesOutWhatIsPredictedToBeSlowNineTimesOfTen) {
  Known advice;
  advice.times = {{"now", 1}, {"slow", 1.6}, {"as slow", 1.4}};
  Screen screen(&advice);
  int kept = 0;
  for (int k = 0; k < 1000; ++k) {
    const std::vector<std::string> worth = screen.worth(edits({"slow", "as slow"}));
    EXPECT_THAT(worth, testing::Contains("as slow"));
    kept += worth.size() == 2;
  }
  EXPECT_NEAR(kept, 100, 40);
  EXPECT_EQ(screen.leftOut(), 1000 - kept);
}

TEST(Screen, LeavesNothingOutAfterPredictionsWereWrong) {
  Known advice;
  advice.times = {{"now", 1}, {"a", 0.5}, {"b", 100}};
  Screen screen(&advice);
  for (int k = 0; k < 4; ++k) {
    EXPECT_TRUE(screen.isTrusted());
    screen.worth(edits({"a"}));
    screen.measured("a", 1.0);
    screen.measured("unknown", 50);
  }
  EXPECT_FALSE(screen.isTrusted());
  EXPECT_NEAR(screen.factor(), 2, 1e-9);
  const int questions = advice.questions;
  EXPECT_THAT(screen.worth(edits({"b", "a"})), ElementsAre("b", "a"));
  EXPECT_EQ(advice.questions, questions);
}

TEST(Screen, TrustsPredictionsThatAreAboutRight) {
  Known advice;
  advice.times = {{"now", 2}, {"a", 1}};
  Screen screen(&advice);
  for (int k = 0; k < 10; ++k) {
    screen.worth(edits({"a"}));
    screen.measured("a", 0.7);
  }
  EXPECT_TRUE(screen.isTrusted());
}

TEST(Screen, KeepsAllWhereTheKernelIsNotPredicted) {
  Known advice;
  advice.times = {{"a", 1}};
  EXPECT_THAT(Screen(&advice).worth(edits({"a", "b"})), ElementsAre("a", "b"));
  EXPECT_THAT(Screen(nullptr).worth(edits({"a", "b"})), ElementsAre("a", "b"));
}

TEST(Screen, ProposesTheFastestOfAllEdits) {
  Known advice;
  advice.times = {{"now", 1}, {"a", 0.9}, {"b", 0.5}, {"c", 0.99}, {"d", 0.7}, {"e", 3}};
  Screen screen(&advice);
  const std::vector<KernelOption> all{edits({"a", "e"}), edits({"b", "c"}), edits({"d", "a"})};
  EXPECT_THAT(screen.proposals(all, 2), ElementsAre("b", "d"));
  screen.measured("b", 1.2);
  EXPECT_THAT(screen.proposals(all, 9), ElementsAre("d", "a"))
      << "what was measured is not proposed again, and c brings too little";
  EXPECT_EQ(advice.questions, 1) << "nothing is predicted twice";
  EXPECT_GT(screen.factor(), 2) << "what came of a proposal counts";
  EXPECT_THAT(Screen(nullptr).proposals(all, 9), IsEmpty());
}

TEST(Screen, ProposesNothingForAKernelThatIsNotPredicted) {
  Known advice;
  advice.times = {{"a", 0.5}};
  EXPECT_THAT(Screen(&advice).proposals({edits({"a", "b"})}, 9), IsEmpty());
}

TEST(KernelTimes, AreReadByTitle) {
  const auto times = parseKernelTimes(
      R"({"kernels": [{"name": "T.a", "seconds": 2}, {"name": "T.b", "why": "no"}, {"name": "T.a", "seconds": 1}]})");
  EXPECT_EQ(times.at("T.a").seconds, 3) << "of both pieces";
  EXPECT_EQ(times.at("T.b").why, "no");
  EXPECT_THROW(parseKernelTimes("{}"), TunerError);
}

TEST(EmulatedAdvice, ReadsATimeForEachScript) {
  EXPECT_THAT(
      parseTimes(
          R"({"kernels": [{"name": "T.a", "seconds": 9}, {"script": "a", "seconds": 2}, {"script": "b", "why": "no"}]})",
          2),
      ElementsAre(2, 0));
  EXPECT_THAT(parseTimes(R"({"kernels": [{"name": "T.a", "why": "no"}]})", 2), ElementsAre(0, 0));
}

TEST(KernelSummary, SaysWhatWasPredicted) {
  KernelSummary summary;
  summary.program = "t";
  summary.predictions = {parsePrediction(kSaid, predictedKernel())};
  EXPECT_THAT(asText(summary), HasSubstr("  predictions   T.a: limited by L2 throughput (0.80)\n"
                                         "                  tried first, as 2.00 times as fast is predicted: "
                                         "tasks(); vector(x); jam(y; 4)\n"));
  EXPECT_THAT(asJson(summary), HasSubstr("\"times_as_fast\": 2.0"));
}

} // namespace
} // namespace pbc::tuner
