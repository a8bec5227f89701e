// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How steps end that do not apply: within their budget, and with a sentence that names what clashes.
#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/kernel/transform/run.h"
#include "tests/unit/transform/textual.h"
#include <gmock/gmock.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

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

const std::string kPlus = R"(
kernel Add [n, m]
  context n >= 0 and m >= 0
  buffer A double 2-d input
  buffer C double 2-d output
  S[x, y]: C[x, y] = A[x, y] + 1.0
    { S[x, y] : 0 <= x < n and 0 <= y < m }
  schedule
    band y, x
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

/// The error that ends a step loses what calls of isl hold just then: a few objects of a compiler that ends soon.
StepOutcome runWithoutLeakCheck(const pbc::script::Step &step, const Scheduled &kernel,
                                unsigned long budget) {
#ifdef __SANITIZE_ADDRESS__
  __lsan_disable();
#endif
  StepOutcome made = run(step, kernel, budget);
#ifdef __SANITIZE_ADDRESS__
  __lsan_enable();
#endif
  return made;
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
      const StepOutcome made = runWithoutLeakCheck(step, k, budget);
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

/// What a step does to loops that it does not name: these keep their realisations, or the step is refused.
/// Rules that share loops may have variables of one name.
TEST(Steps, NameVariablesAsTheProgramDoes) {
  Texts t;
  const Scheduled two = t.kernel(R"(
kernel Two [n]
  buffer R0_s double 1-d local, called s
  buffer R1_s double 1-d local, called s
  buffer R1_u double 1-d local, called u
  buffer A double 1-d input
  buffer B double 1-d output
  buffer C double 1-d output
  S0[x]: R0_s[x] = A[x]
    { S0[x] : 0 <= x < n }
  S1[x]: B[x] = R0_s[x]
    { S1[x] : 0 <= x < n }
  S2[x]: R1_s[x] = A[x]
    { S2[x] : 0 <= x < n }
  S3[x]: R1_u[x] = R1_s[x]
    { S3[x] : 0 <= x < n }
  S4[x]: C[x] = R1_u[x]
    { S4[x] : 0 <= x < n }
  schedule
    band x parallel
      alloc:R0_s
        alloc:R1_s
          alloc:R1_u
            sequence
              S0
              S1
              S2
              S3
              S4
)");
  EXPECT_EQ(t.after(two, "in_place(s)"), "refused: 2 variables are called `s`");
  EXPECT_EQ(t.after(two, "in_place(R1_s)"), "refused: `R1_s` is not stored unchanged in an output");
  EXPECT_EQ(t.after(two, "in_place(u)"), t.after(two, "in_place(R1_u)"));
  EXPECT_EQ(t.after(two, "in_place(R0_s); in_place(s)"), "refused: `s` is not stored unchanged in an output");
}

TEST(Steps, RealisedLoopsStayPossible) {
  Texts t;
  const Scheduled product = t.kernel(kProduct), add = t.kernel(kPlus);
  const auto whyNot = [&](const Scheduled &k, const std::string &steps) {
    std::string why = "it applies";
    t.run(k, steps, &why);
    return why;
  };
  EXPECT_EQ(whyNot(product, "lanes(x; 8); stage(B, at = k)"),
            "its loop over `x` is realised as lanes:8 already");
  EXPECT_EQ(whyNot(product, "lanes(x; 8); pad(k, y)"),
            "its loop over `x` is realised as lanes:8 already: `S1_v` is no array of lanes");
  EXPECT_EQ(whyNot(product, "in_place(s); partial_sums(k; 4); lanes(x)"),
            "iterations of the loop over `x` would share `C_sums`");
  EXPECT_EQ(whyNot(product, "registers(y, x); scalar(x)"),
            "its loop over `y` is realised as registers already: its blocks of points have the loop over `x` "
            "inside");
  EXPECT_EQ(whyNot(add, "vector(x); order(x, y)"), "its loop over `x` is realised as vector already: the "
                                                   "loop over `y` inside it is not written out (unroll)");
  EXPECT_EQ(whyNot(add, "vector(x); jam(y; 2); keep(A, at = x)"),
            "its loop over `x` is realised as vector already");
  EXPECT_EQ(whyNot(add, "vector(x); jam(y; 2); tile(y; 4)"),
            "its loop over `y` is realised as jam:2 already");
  EXPECT_EQ(whyNot(add, "vector(x); tile(y; 4); jam(y; 2)"), "it applies");
}

TEST(Steps, LoopsInsideLanesAreAlike) {
  Texts t;
  EXPECT_EQ(t.after(t.kernel(kProduct), "lanes(y)"),
            "refused: the length of the loop over `k` depends on `y`");
  EXPECT_EQ(t.after(t.kernel(kPlus), "skew(x, y); lanes(y)"),
            "refused: the length of the loop over `x` depends on `y`");
  EXPECT_EQ(t.after(t.kernel(kPlus), "lanes(y; 8)"), "lanes:8\n  band y parallel\n    band x parallel\n");
}

TEST(Steps, WhatRunsTogetherGoesUpByOne) {
  Texts t;
  std::string every = kPlus;
  every.replace(every.find("0 <= x < n"), 10, "0 <= x < n and x mod 2 = 0");
  EXPECT_EQ(t.after(t.kernel(every), "lanes(x)"),
            "refused: the loop over `x` does not go up in steps of one");
  EXPECT_EQ(t.after(t.kernel(every), "vector(x); jam(y; 2)"),
            "refused: the loop over `x` does not go up in steps of one");
}

TEST(Steps, BlocksAreOfOneRange) {
  Texts t;
  std::string holes = kProduct;
  for (std::size_t at = 0; (at = holes.find("0 <= y < m", at)) != std::string::npos; at += 40)
    holes.replace(at, 10, "0 <= y < m and (x < 2 or y >= 2)");
  EXPECT_EQ(t.after(t.kernel(holes), "registers(y, x)"),
            "refused: the points of its loop over `x` are several ranges");
}

TEST(Steps, BlocksHaveLoopsWithoutConditions) {
  Texts t;
  const Scheduled two = t.kernel(R"(
kernel Two [n, m]
  context n >= 0 and m >= 0
  buffer s double 2-d local
  buffer t double 2-d local
  buffer A double 2-d input
  buffer C double 2-d output
  S0[x, y]: s[x, y] = 0.0
    { S0[x, y] : 0 <= x < n and 0 <= y < m }
  S1[x, y]: t[x, y] = 0.0
    { S1[x, y] : 0 <= x < n and 0 <= y < m }
  S2[x, y; k]: s[x, y] += A[x, k]
    { S2[x, y, k] : 0 <= x < n and 0 <= y < m and 0 <= k < n }
  S3[x, y; k]: t[x, y] += A[k, y]
    { S3[x, y, k] : 0 <= x < n and 0 <= y < m and 0 <= k < m }
  S4[x, y]: C[x, y] = s[x, y] + t[x, y]
    { S4[x, y] : 0 <= x < n and 0 <= y < m }
  schedule
    band y, x
      alloc:s
        alloc:t
          sequence
            S0
            S1
            S2
              band k
            S3
              band k
            S4
)");
  EXPECT_EQ(t.after(two, "fuse(k, k2); registers(y, x)"),
            "refused: in some steps of its loop over `k`, only some of its statements run");
  EXPECT_TRUE(t.run(two, "registers(y, x)"));
  const Scheduled product = t.kernel(kProduct);
  EXPECT_EQ(t.after(product, "peel(k; last = 4); registers(y, x)"),
            "refused: steps of `S1` lie in several loops");
  EXPECT_EQ(t.after(product, "scalar(k); registers(y, x)"),
            "refused: its loop over `k` is realised as scalar already");
}

/// isl may make more loops than there are bands; their variables are no sizes of the program.
TEST(Steps, FurtherLoopsHaveNames) {
  Texts t;
  std::string columns = kPlus;
  columns.replace(columns.find("band y, x"), 9, "band x, y");
  const std::optional<Scheduled> k = t.run(t.kernel(columns), "(l1) = skew(x, y; factor = -3); when(n > 3)");
  ASSERT_TRUE(k);
  EXPECT_EQ(pbc::emit::kernelFunction(*k, "f", "Frame").find("f.v_c"), std::string::npos);
}

/// What is read may be several ranges of cells, of which each has loops of its own.
TEST(Steps, RowsOfSeveralRangesAreNotTakenTogether) {
  Texts t;
  std::string ends = kPlus;
  ends.replace(ends.find("0 <= x < n"), 10, "(0 <= x < 4 or 8 <= x < n)");
  EXPECT_EQ(t.after(t.kernel(ends), "vector(x); jam(y; 2)"),
            "refused: the iterations of its loop over `x` are several ranges");
}

/// The loop that copies a row of cells has one iteration for each cell that it copies.
TEST(Steps, RowsOfOneCellAreNotTakenTogether) {
  Texts t;
  EXPECT_EQ(t.after(t.kernel(kPlus), "stage(A, at = x); vector(A0); jam(A1; 2)"),
            "refused: the loop over `A0` has no second iteration");
}

TEST(Steps, KernelsHaveNotTooManyLoops) {
  Texts t;
  std::string deep, wide;
  for (int k = 0; k < 24; ++k)
    deep += "tile(x; 2); ";
  for (int k = 0; k < 6; ++k)
    wide += "when(n > " + std::to_string(1 << k) + "); ";
  EXPECT_EQ(t.after(t.kernel(kPlus), deep), "refused: it would have more than 24 loops inside each other");
  const Scheduled add = t.kernel(kPlus);
  EXPECT_TRUE(t.run(add, wide));
}

TEST(Steps, NamesAreForLoopsThatAStepMakes) {
  Texts t;
  EXPECT_EQ(t.after(t.kernel(kPlus), "(q) = vector(x)"),
            "refused: it makes no loop that could be called `q`");
  EXPECT_EQ(t.after(t.kernel(kPlus), "(a, b) = keep(A, at = x)"),
            "refused: it makes no loop that could be called `a`");
}

/// The copies of different loops have no points in common, by which tasks could be cut.
TEST(Steps, CopiesHaveTheirOwnPoints) {
  Texts t;
  const Scheduled k = t.kernel(R"(
kernel Sweeps [n, m]
  context n >= 0 and m >= 0
  buffer A double 1-d input
  buffer C double 2-d output
  S0[x]: C[x, 0] = A[x]
    { S0[x] : 0 <= x < n and m > 0 }
  S1[x, y]: C[x, y] = C[x, -1 + y]
    { S1[x, y] : 0 <= x < n and 0 < y < m }
  schedule
    sequence
      S0
        band x
      S1
        band y, x
)");
  EXPECT_EQ(t.after(k, "keep(C, x2); keep(C, x); tasks()"),
            "refused: its parts would share scratch memory (`C_kept`, `C_kept2`): `tasks` comes before the "
            "steps that make it");
}

TEST(Steps, LoopsCountIn64Bits) {
  Texts t;
  EXPECT_EQ(t.after(t.kernel(kPlus), "skew(x, y; 1000); skew(y, x; 1000); tile(y; 999999999)"),
            "refused: the values of its loop over `y` would be too large");
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

/// isl makes a loop for each part, and that over the first one has steps of two.
TEST(Steps, LanesNeedEachPartOfALoopToGoUpByOne) {
  Texts t;
  const Scheduled k = t.kernel(R"(kernel Parts [n, m]
  context n >= 0 and m >= n
  buffer A double 1-d input
  buffer C double 1-d output
  S[x]: C[x] = A[x]
    { S[x] : (0 <= x < n and x mod 2 = 0) or n <= x < m }
  schedule
    band x
)");
  EXPECT_EQ(t.after(k, "lanes(x; 8)"), "refused: the loop over `x` does not go up in steps of one");
}

} // namespace
