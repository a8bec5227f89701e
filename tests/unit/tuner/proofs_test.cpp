// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `pbc prove` says of kernels, as the tuner of kernels takes it.
#include "tuner/kernels/kernel_summary.h"
#include "tuner/kernels/proofs.h"
#include "tuner/space/program_space.h"

#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char *kProof =
    R"json({"kernels": [{"kernel": "T.a", "sizes": "n = 64", "default_seconds": 2e-6,
  "default_script": "tasks(); vector(x)", "best_seconds": 1.5e-6, "script": "(t, x) = tile(x; 8); vector(x)",
  "bound_seconds": 1e-6, "gap": 1.5, "complete": false, "space": 120.0, "space_exact": true, "measured": 9,
  "not_measured": 0, "divided": 3, "cut": 4, "cut_by": {}, "depths": [], "limit": "traffic: 64 bytes from L2. Because."}]})json";

KernelOption kernel() {
  return {"T", "a", "tile", "tasks(); vector(x)", {"vector(x)"}, "scalar(x)", {"n"}, 1};
}

TEST(KernelProof, IsReadFromWhatProveSays) {
  const KernelProof proof = parseProof(kProof, kernel());
  EXPECT_EQ(proof.title(), "T.a");
  EXPECT_EQ(proof.sizes, "n = 64");
  EXPECT_DOUBLE_EQ(proof.gap(), 1.5);
  EXPECT_EQ(proof.term(), "traffic");
  EXPECT_FALSE(proof.isDefault);
  EXPECT_EQ(proof.measured, 9);
  EXPECT_THROW(parseProof("{}", kernel()), TunerError);
}

TEST(KernelProof, OfAKernelThatCannotBeSearchedSaysWhy) {
  const KernelProof proof = parseProof(
      R"({"kernels": [{"kernel": "T.a", "sizes": "n = 64", "why": "its body was not lifted"}]})", kernel());
  EXPECT_EQ(proof.why, "its body was not lifted");
  EXPECT_THAT(seedOf(proof, kernel()).others, IsEmpty());
  EXPECT_FALSE(isLeftAlone(proof, 1e9));
}

TEST(KernelProof, GivesItsScriptToTheProgramWithTasksAndWithout) {
  KernelProof proof = parseProof(kProof, kernel());
  EXPECT_THAT(seedOf(proof, kernel()).others,
              ElementsAre("tasks(); (t, x) = tile(x; 8); vector(x)", "(t, x) = tile(x; 8); vector(x)"));
  proof.isDefault = true;
  EXPECT_THAT(seedOf(proof, kernel()).others, IsEmpty());
  proof.isDefault = false;
  proof.script = "vector(x)";
  EXPECT_THAT(seedOf(proof, kernel()).others, ElementsAre("vector(x)")); // the other one is in use
}

TEST(KernelProof, EndsTheEditsOfAKernelOnlyAtTheSizesOfARun) {
  KernelProof proof = parseProof(kProof, kernel());
  proof.isOfRun = true;
  EXPECT_FALSE(isLeftAlone(proof, 1.05));
  EXPECT_TRUE(isLeftAlone(proof, 1.5));
  proof.isOfRun = false;
  EXPECT_FALSE(isLeftAlone(proof, 1.5));
  proof.isOfRun = true;
  proof.bound = 0;
  EXPECT_FALSE(isLeftAlone(proof, 1e9));
}

TEST(KernelProof, NamesEditsForEachTermThatLimits) {
  EXPECT_EQ(firstEdits("tiles").front(), "tile");
  EXPECT_EQ(firstEdits("compute").front(), "body");
  EXPECT_THAT(firstEdits("no term"), IsEmpty());
}

TEST(KernelSummary, SaysHowFarEachKernelIsFromItsBound) {
  KernelSummary summary;
  summary.program = "t";
  summary.proofs = {parseProof(kProof, kernel())};
  summary.proofs.front().refuted = {"a sentence"};
  const std::string text = asText(summary);
  EXPECT_THAT(
      text,
      HasSubstr("  proofs        T.a: at n = 64, 1.5 us on one core; no schedule of the space takes less "
                "than 1 us: the time is 1.50 times the bound\n"
                "                  traffic: 64 bytes from L2. Because.\n"
                "                  120 programs, 9 measured, 4 regions cut; the fastest of them was tried: "
                "(t, x) = tile(x; 8); vector(x)\n"
                "                  internal error: a bound was too high and was left out; please report "
                "it: a sentence\n"));
  EXPECT_THAT(asJson(summary), HasSubstr("\"left_alone\": false"));
}

} // namespace
} // namespace pbc::tuner
