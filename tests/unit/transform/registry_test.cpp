// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random kernels with random steps: what a transformation accepts keeps every dependence and all results, also in tasks and
// after the kernel was printed and read back, and what it refuses has a sentence. So a wrong schedule is impossible, whatever a
// script says.
//
//   PBC_PAIRS=10000 PBC_SEED=7 build/release/bin/test_transform --gtest_filter='*Registry*'      more of them, and others
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/transform/compiled.h"
#include "tests/unit/transform/random_kernels.h"
#include "tests/unit/transform/textual.h"
#include <cstdio>
#include <cstdlib>
#include <gmock/gmock.h>
#include <map>

using namespace pbc::kernel;

namespace {

long fromEnvironment(const char *name, long otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}

/// Tries random steps until some of them apply; those that do not have a reason.
Scheduled afterRandomSteps(Random &r, Texts &texts, const Scheduled &start, std::string &what,
                           std::map<std::string, int> &applied) {
  Scheduled kernel = withLabels(start);
  const long wanted = r.number(1, 4);
  long done = 0;
  for (int tries = 0; tries < 16 && done < wanted; ++tries) {
    pbc::script::Step step;
    StepOutcome made;
    if (!texts.context().withBudget(kDependenceBudget, [&] { step = randomStep(r, kernel); }))
      continue;
    if (!texts.context().withBudget(kDependenceBudget, [&] { made = run(step, kernel); }))
      continue;
    if (!made.kernel) {
      EXPECT_GT(made.problem.what.size(), 10U) << pbc::script::text(step);
      continue;
    }
    kernel = std::move(*made.kernel);
    what += pbc::script::text(step) + ";\n";
    ++applied[step.transformation];
    ++done;
    EXPECT_THAT(verify(kernel), testing::IsEmpty()) << what;
  }
  return kernel;
}

/// In four parts, which can run at the same time.
class Registry : public testing::TestWithParam<int> {};

TEST_P(Registry, AcceptedStepsKeepDependencesAndResults) {
  constexpr std::size_t kLongText = 3000; // whose dependences may take too long to find
  const long pairs = fromEnvironment("PBC_PAIRS", 200) / 4, batch = 24;
  const auto seed = static_cast<unsigned long>(fromEnvironment("PBC_SEED", 1) * 4 + GetParam());
  std::map<std::string, int> applied;
  for (long first = 0; first < pairs && !HasFailure(); first += batch) {
    Texts texts;
    Comparison comparison(texts.context());
    for (long k = first; k < std::min(pairs, first + batch); k += 2) {
      Random r(seed * 1'000'003 + static_cast<unsigned long>(k));
      const std::string text = randomKernel(r);
      SCOPED_TRACE(text);
      const Scheduled kernel = texts.kernel(text);
      for (int twice = 0; twice < 2; ++twice) {
        std::string what = text;
        const Scheduled after = afterRandomSteps(r, texts, kernel, what, applied);
        if (!kernel.reassociates)
          EXPECT_TRUE(isLegal(after.schedule.tree, kernel.dependences)) << what;
        // Half of them go through their text first.
        const std::string printed = print(after);
        const bool isReadBack = r.once(2) && printed.size() < kLongText;
        comparison.add(what, kernel, isReadBack ? texts.kernel(printed) : after);
      }
    }
    EXPECT_EQ(comparison.differences(), "");
  }
  if (std::getenv("PBC_PAIRS"))
    std::printf("applied: %s\n", testing::PrintToString(applied).c_str());
  // The pairs are of use only if many transformations apply to some kernel.
  EXPECT_GE(3 * applied.size(), transformations().size()) << testing::PrintToString(applied);
}

INSTANTIATE_TEST_SUITE_P(Random, Registry, testing::Range(0, 4));

} // namespace
