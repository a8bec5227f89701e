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
  "verdict": "limited by L2 throughput (0.80)", "try": {"schedule": "tasks(); vector(x); jam(y; 4)", "seconds": 1e-6, "times_as_fast": 2.0,
  "path": [{}, {"jam": "4"}], "predictions": 9}}]})json";

KernelOption predictedKernel() {
  return {"T", "a", "tile", "tasks(); vector(x)", {"vector(x)"}, "scalar(x)", {"n"}, 1};
}

TEST(KernelPrediction, IsReadFromWhatEmulateSays) {
  const KernelPrediction p = parsePrediction(kSaid, predictedKernel());
  EXPECT_EQ(p.title(), "T.a");
  EXPECT_EQ(p.limit, "limited by L2 throughput (0.80)");
  EXPECT_DOUBLE_EQ(p.timesAsFast, 2);
  EXPECT_THAT(seedOf(p, predictedKernel()).others, ElementsAre("tasks(); vector(x); jam(y; 4)"));
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
  EXPECT_THAT(seedOf(p, predictedKernel()).others, IsEmpty());
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
