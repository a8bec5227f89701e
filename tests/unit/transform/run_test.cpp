// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How steps end that do not apply: within their budget, and with a sentence that names what clashes.
#include "compiler/kernel/transform/run.h"
#include "tests/unit/transform/textual.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;

namespace {

const std::string kProduct = R"(
kernel Product [n, m]  may reassociate
  context n >= 0 and m >= 0
  buffer s double 2-d local
  buffer A double 2-d input
  buffer B double 2-d input
  buffer C double 2-d output
  S0[x, y]: s[x, y] = 0.0
    { S0[x, y] : 0 <= x < n and 0 <= y < m }
  S1[x, y; k]: s[x, y] += A[k, y] * B[x, k]
    { S1[x, y, k] : 0 <= x < n and 0 <= y < m and 0 <= k <= y }
  S2[x, y]: C[x, y] = s[x, y]
    { S2[x, y] : 0 <= x < n and 0 <= y < m }
  schedule
    band y, x
      alloc:s
        sequence
          S0
          S1
            band k
          S2
)";

const char *const kTooLong = "it would take too long to find out whether it applies";

TEST(Steps, AStepEndsWithItsBudget) {
  Texts t;
  const Scheduled k = withLabels(t.kernel(kProduct));
  const pbc::script::Step tile = t.steps("tile(y, x; 4, 4)").front();
  const StepOutcome tooLong = run(tile, k, 1000);
  EXPECT_FALSE(tooLong.kernel);
  EXPECT_EQ(tooLong.problem.what, kTooLong);
  EXPECT_TRUE(run(tile, k).kernel) << "the context can be used again";
}

/// Whatever question of isl is the one that ends a step, the step is refused, and nothing else happens.
TEST(Steps, EveryBudgetIsSafe) {
  for (const char *text : {"order(x, y)", "fission(x)", "skew(x, y; 1)", "reverse(x)", "tile(y, x; 4, 4)",
                           "split(x; 3)", "peel(x; first = 1)", "pad(k, y)", "when(n >= 2 * m)",
                           "partial_sums(k; 4)", "tasks()", "registers(y, x)", "unroll(k)", "lanes(x)",
                           "scalar(x)", "in_place(s)", "stage(B, at = x)", "keep(C, at = x)"}) {
    SCOPED_TRACE(text);
    Texts t;
    const Scheduled k = withLabels(t.kernel(kProduct));
    const pbc::script::Step step = t.steps(text).front();
    const StepOutcome wanted = run(step, k);
    bool isDone = false;
    for (unsigned long budget = 1; !isDone; budget += 1 + budget / 4) {
      const StepOutcome made = run(step, k, budget);
      isDone = made.problem.what != kTooLong;
      if (isDone) {
        EXPECT_EQ(made.kernel.has_value(), wanted.kernel.has_value()) << budget;
        EXPECT_EQ(made.problem.what, wanted.problem.what) << budget;
      } else {
        EXPECT_FALSE(made.kernel) << budget;
      }
    }
  }
}

TEST(Steps, AClashHasAText) {
  Texts t;
  const Scheduled k = t.kernel(R"(
kernel Sums [n]
  context n >= 0
  buffer C double 1-d output
  S[x]: C[x] = C[-1 + x] + 1.0
    { S[x] : 0 <= x < n }
  schedule
    band x
)");
  EXPECT_THAT(t.after(k, "reverse(x)"), HasSubstr(" must run before S["));
}

/// A kernel may have dependences for sizes that its context excludes. Where no others clash, the sentence names those.
TEST(Steps, AClashAtImpossibleSizesHasAText) {
  Texts t;
  const Scheduled k = t.kernel(R"(
kernel Sums [n]
  context n >= 0
  buffer C double 1-d output
  S[x]: C[x] = C[-1 + x] + 1.0
    { S[x] : (n < 0 and 0 <= x < 2) or (n >= 0 and x = 0) }
  dependences
    { S[x] -> S[1 + x] : n < 0 and x = 0 }
  schedule
    band x
)");
  EXPECT_EQ(t.after(k, "reverse(x)"),
            "refused: a value would be used before it is computed (S[x=0] must run before S[x=1])");
}

} // namespace
