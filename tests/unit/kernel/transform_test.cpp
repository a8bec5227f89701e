// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each transformation: its effect on the schedule, and the reasons for which it refuses kernels.
#include "compiler/kernel/body_length.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/policy/processor.h"
#include "compiler/kernel/policy/vectors.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/tree.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
namespace script = pbc::script;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

const char *kAlongX = R"(
transform Along from A[w, h] to B[w, h] {
  B.cell(x, y) from(B.cell(x-1, y) p, A.cell(x, y) a) { return p + a; }
  secondary B.cell(x, y) from(A.cell(x, y) a) { return a; }
}
)";
// A rule that reads up and right, so the loops must not be exchanged.
const char *kAgainst = R"(
transform Against from A[w, h] to B[w, h] {
  B.cell(x, y) from(B.cell(x+1, y-1) p, A.cell(x, y) a) { return p + a; }
  secondary B.cell(x, y) from(A.cell(x, y) a) { return a; }
}
)";

// The step of the first plan whose kernel has dependences, or the first.
Scheduled recurrence(Lifted &lifted) {
  for (int step = 0; step < lifted.steps(); ++step)
    if (Scheduled k = lifted.kernel(0, step); !k.dependences.is_empty())
      return k;
  return lifted.kernel();
}

/// The kernel after one step, or the sentence.
StepOutcome applied(const Scheduled &kernel, const script::Step &step) {
  return run(step, withLabels(kernel));
}

std::string whyNot(const Scheduled &kernel, const script::Step &step) {
  const StepOutcome o = applied(kernel, step);
  return o.kernel ? "it applies" : o.problem.what;
}

/// The kernel with the vectors that the policy chooses.
Scheduled vectorised(const Scheduled &kernel) {
  const ScriptOutcome o = run(vectorSteps(withLabels(kernel)).steps, kernel, Mode::Strict);
  EXPECT_THAT(o.failed, IsEmpty());
  return o.kernel;
}
std::string whyNoVectors(const Scheduled &kernel) {
  const Steps wanted = vectorSteps(withLabels(kernel));
  if (wanted.steps.empty())
    return wanted.why;
  const ScriptOutcome o = run(wanted.steps, kernel, Mode::Strict);
  return o.failed.empty() ? "it applies" : o.failed.front().problem.what;
}

std::string scheduleOf(const Scheduled &kernel) {
  const std::string text = print(kernel);
  return text.substr(text.find("  schedule\n"));
}

TEST(KernelLift, StatementsAndProgramOrder) {
  Lifted lifted(programs::kConvolve7);
  const Scheduled k = lifted.kernel();
  EXPECT_EQ(print(k), R"(kernel Conv7.rule0 [w, h]
  context w >= 6 and h >= 0
  buffer R0_s double 2-d local, called s
  buffer A double 2-d input
  buffer K double 1-d input
  buffer B double 2-d output
  R0_S0[x, y]: R0_s[x, y] = 0.0
    { R0_S0[x, y] : 0 <= x <= -7 + w and 0 <= y < h }
  R0_S1[x, y; i]: R0_s[x, y] += A[x + i, y] * K[i]
    { R0_S1[x, y, i] : 0 <= x <= -7 + w and 0 <= y < h and 0 <= i <= 6 }
  R0_S2[x, y]: B[x, y] = R0_s[x, y]
    { R0_S2[x, y] : 0 <= x <= -7 + w and 0 <= y < h }
  schedule
    band y parallel
      band x parallel
        alloc:R0_s
          sequence
            R0_S0
            R0_S1
              band i
            R0_S2
)");
  EXPECT_THAT(verify(k), IsEmpty());
}

TEST(KernelVerify, FindsABrokenOrder) {
  Lifted lifted(programs::kPrefix);
  Scheduled k = recurrence(lifted);
  k.dependences = k.dependences.reverse();
  EXPECT_THAT(verify(k), testing::ElementsAre("the schedule breaks a dependence"));
}

TEST(KernelOrder, SwapsIndependentLoops) {
  Lifted lifted(programs::kStencil);
  const StepOutcome o = applied(lifted.kernel(), script::step("order", {"x", "y"}));
  ASSERT_TRUE(o.kernel) << o.problem.what;
  EXPECT_EQ(scheduleOf(*o.kernel), "  schedule\n    band x parallel\n      band y parallel\n");
  EXPECT_THAT(verify(*o.kernel), IsEmpty());
}

TEST(KernelOrder, LeavesLoopsBetweenInTheirPlaces) {
  Lifted lifted(
      "transform T from A[w, h, d] to B[w, h, d] { B.cell(x, y, z) from(A.cell(x, y, z) a) { return a; } }");
  const StepOutcome o = applied(lifted.kernel(), script::step("order", {"x", "z"}));
  ASSERT_TRUE(o.kernel) << o.problem.what;
  EXPECT_EQ(labelsOf(o.kernel->schedule.tree), (std::vector<std::string>{"x", "y", "z"}));
}

TEST(KernelOrder, RefusesABackwardDependence) {
  Lifted lifted(kAgainst);
  EXPECT_THAT(whyNot(recurrence(lifted), script::step("order", {"x", "y"})),
              testing::MatchesRegex("a value would be used before it is computed "
                                    "\\(R0_S0\\[x=.*, y=.*\\] must run before R0_S0\\[x=.*, y=.*\\]\\)"));
}

TEST(KernelOrder, RefusesLoopsThatDoNotLieInEachOther) {
  Lifted product(programs::kMatrixProduct);
  EXPECT_EQ(whyNot(product.kernel(), script::step("order", {"k", "x"})),
            "its loops over `x` and `k` do not lie directly in each other");
}

TEST(KernelTile, CutsLoops) {
  Lifted lifted(programs::kRows);
  const StepOutcome o = applied(recurrence(lifted), script::step("tile", {"y", "x"}, {4, 32}));
  ASSERT_TRUE(o.kernel) << o.problem.what;
  EXPECT_THAT(scheduleOf(*o.kernel), HasSubstr("band xt = x - (x) mod 32 parallel"));
  EXPECT_EQ(labelsOf(o.kernel->schedule.tree), (std::vector<std::string>{"yt", "xt", "y", "x"}));
  EXPECT_THAT(verify(*o.kernel), IsEmpty());
}

TEST(KernelTile, CutsTheLoopOfASumAndTilesAgain) {
  Lifted product(programs::kMatrixProduct);
  script::Step sum = script::step("tile", {"k"}, {16});
  sum.results = {"kt", "ki"};
  const script::Script steps = {sum, script::step("tile", {"y", "x"}, {32, 64}),
                                script::step("tile", {"y"}, {4})};
  const ScriptOutcome o = run(steps, product.kernel(), Mode::Strict);
  ASSERT_THAT(o.failed, IsEmpty());
  EXPECT_EQ(labelsOf(o.kernel.schedule.tree),
            (std::vector<std::string>{"yt", "xt", "yt2", "y", "x", "kt", "ki"}));
  EXPECT_THAT(verify(o.kernel), IsEmpty());
}

TEST(KernelTile, RefusesABackwardDependence) {
  Lifted lifted(kAgainst);
  EXPECT_EQ(whyNot(recurrence(lifted), script::step("tile", {"y", "x"}, {4, 4})),
            "a dependence goes backwards in one of its loops, so that tiles would need each other");
}

TEST(KernelTile, RefusesWrongSizes) {
  Lifted lifted(programs::kStencil);
  const Scheduled k = lifted.kernel();
  EXPECT_EQ(whyNot(k, script::step("tile", {"y", "x"}, {4})),
            "its 2 loops (`y`, `x`) need 2 sizes, and 1 is given: a size is at least 1, or 0 where a loop is "
            "not cut");
  EXPECT_EQ(whyNot(k, script::step("tile", {"y", "x"}, {4, -1})), "`sizes` of `tile` cannot be -1");
  EXPECT_EQ(whyNot(k, script::step("tile", {"y", "x"}, {0, 0})),
            "all sizes are 0, which leaves the loops as they are: a size of at least 1 cuts one");
}

TEST(KernelSteps, RefuseArgumentsThatDoNotFit) {
  Lifted lifted(programs::kStencil);
  const Scheduled k = withLabels(lifted.kernel());
  const auto problem = [&](const script::Step &step) { return run(step, k).problem; };
  EXPECT_EQ(problem(script::step("tiel", {"y"})).what, "no transformation is called `tiel`");
  EXPECT_THAT(problem(script::step("tiel", {"y"})).help, testing::StartsWith("did you mean `tile`? "));
  EXPECT_EQ(problem(script::step("vector", {"xx"})).what, "no loop is called `xx`");
  EXPECT_EQ(problem(script::step("vector", {"xx"})).help, "did you mean `x`? the loops are `y`, `x`");
  EXPECT_EQ(problem(script::step("vector", {"x", "x"})).what, "`x` is named twice");
  EXPECT_EQ(problem(script::step("vector", {})).what, "`vector` needs `loops`: the loops");
  EXPECT_EQ(problem(script::step("vector", {"x"}, {2, 3, 4})).what, "`vector` takes no further argument `4`");
  EXPECT_EQ(problem(script::step("vector", {"x"}, {99})).what, "`interleave` of `vector` cannot be 99");
  EXPECT_EQ(problem(script::step("vector", {"x"}, {99})).help,
            "`interleave` is vectors at once, a number from 1 to 16, or auto");
  script::Step named = script::step("vector", {"x"});
  script::with(named, "length", script::number(4));
  EXPECT_EQ(problem(named).what, "`vector` has no argument `length`");
  EXPECT_EQ(problem(named).help, "it is written vector(loops, ...; [interleave = ...], [width = ...])");
  script::Step results = script::step("tile", {"y"}, {4});
  results.results = {"a", "a"};
  EXPECT_EQ(problem(results).what, "two loops would be called `a`");
  results.results = {"a"};
  EXPECT_EQ(problem(results).what, "it makes 2 loops (`yt`, `y`), and 1 name is given");
  results.results = {"a", "x"};
  EXPECT_EQ(problem(results).what, "another loop is called `x`");
}

TEST(KernelSteps, AreLeftOutOrEndTheScript) {
  Lifted lifted(programs::kMatrixProduct);
  const script::Script steps = {script::step("vector", {"x"}), script::step("tile", {"y"}, {8})};
  const ScriptOutcome strict = run(steps, lifted.kernel(), Mode::Strict);
  ASSERT_EQ(strict.failed.size(), 1U);
  EXPECT_EQ(strict.failed[0].problem.what, "the loop over `k` inside it is not written out (unroll)");
  EXPECT_THAT(strict.applied, IsEmpty());
  const ScriptOutcome lenient = run(steps, lifted.kernel(), Mode::Lenient);
  EXPECT_EQ(lenient.failed.size(), 1U);
  EXPECT_EQ(lenient.applied, script::Script{steps[1]});
}

TEST(KernelVectors, OfShortBodies) {
  Lifted lifted(programs::kConvolve7);
  EXPECT_EQ(scheduleOf(vectorised(lifted.kernel())), R"(  schedule
    band y parallel
      vector
        band x parallel
          alloc:R0_s
            sequence
              R0_S0
              R0_S1
                unroll
                  band i
              R0_S2
)");
}

TEST(KernelVectors, OfLongBodiesAreLanes) {
  Lifted lifted(programs::kMatrixProduct);
  const Scheduled k = vectorised(lifted.kernel());
  EXPECT_THAT(scheduleOf(k), HasSubstr(R"(      lanes:32
        band x parallel
          alloc:R0_s
            sequence
              R0_S0
              R0_S1
                band k
)"));
  EXPECT_THAT(print(k), HasSubstr("buffer R0_s double 2-d local, called s, 32 lanes\n"));
  EXPECT_THAT(verify(k), IsEmpty());
}

/// LLVM does not write out a loop whose length it does not know, however short it is.
TEST(KernelVectors, OfShortLoopsOfUnknownLengthAreLanes) {
  Lifted rounds(R"(
transform Rounds from A[n] to B[n] tunable rounds(4, 1, 8) {
  B.cell(i) from(A.cell(i) a) {
    double s = a;
    for (int k = 0; k < rounds; ++k) s = 0.5 * s + a;
    return s;
  }
}
)");
  EXPECT_THAT(scheduleOf(vectorised(rounds.kernel())), HasSubstr("lanes:32\n"));
}

TEST(KernelVectors, OfRowsThatWaitForTheirOwnCellsAreEightRows) {
  Lifted along(kAlongX);
  EXPECT_THAT(scheduleOf(vectorised(recurrence(along))), HasSubstr("lanes:8\n"));
}

TEST(KernelVectors, Refuse) {
  Lifted along(kAlongX), prefix(programs::kPrefix), triangle(programs::kTriangle);
  EXPECT_EQ(whyNoVectors(recurrence(prefix)), "a point needs the one before it along `i`");
  EXPECT_EQ(whyNoVectors(triangle.kernel()), "the length of the loop over `k` depends on `x`");
  EXPECT_EQ(
      whyNoVectors(*applied(Lifted(programs::kStencil).kernel(), script::step("order", {"x", "y"})).kernel),
      "its loop over `x` is not the innermost one over points");
  EXPECT_EQ(whyNot(recurrence(along), script::step("vector", {"x"})),
            "a point needs the one before it along `x`");
  EXPECT_EQ(whyNot(recurrence(along), script::step("lanes", {"x"})),
            "a point needs the one before it along `x`");
}

TEST(KernelJam, MarksRowsThatShareTheirReads) {
  Lifted l(R"(
transform Blur from A[w, h] to B[w - 2, h - 2] {
  B.cell(x, y) from(A.region(x, y, x + 3, y + 3) a) {
    return a.cell(0, 0) + a.cell(1, 0) + a.cell(2, 0) + a.cell(0, 1) + a.cell(2, 1) + a.cell(0, 2) + a.cell(1, 2) + a.cell(2, 2);
  }
}
)");
  const Scheduled vectors = vectorised(l.kernel());
  const ScriptOutcome o = run(jamSteps(vectors).steps, vectors, Mode::Strict);
  ASSERT_THAT(o.failed, IsEmpty());
  EXPECT_THAT(print(o.kernel), HasSubstr("jam:4\n      band y parallel\n        vector"));
  EXPECT_TRUE(withFlags(o.kernel.schedule.tree, o.kernel.dependences));
}

TEST(KernelJam, Refuses) {
  Lifted apart("transform T from A[w, h] to B[w, h] { B.cell(x, y) from(A.cell(x, y) a) { return a; } }");
  EXPECT_THAT(jamSteps(vectorised(apart.kernel())).why, HasSubstr("neighbours along `y` share too few"));
  Lifted nothing("transform T from A[w, h] to B[w, h] { B.cell(x, y) from() { return 0; } }");
  EXPECT_THAT(jamSteps(vectorised(nothing.kernel())).why, HasSubstr("neighbours along `y` share too few"));
  Lifted flat("transform T from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }");
  EXPECT_THAT(jamSteps(vectorised(flat.kernel())).why, HasSubstr("no loop is around a vector loop"));
  EXPECT_EQ(whyNot(apart.kernel(), script::step("jam", {"y"}, {4})),
            "the loop over `y` does not contain just a vector loop of one statement");
}

TEST(KernelUnroll, RefusesRunTimeLengths) {
  Lifted product(programs::kMatrixProduct), seven(programs::kConvolve7);
  EXPECT_EQ(whyTooLong(product.kernel(), 32), "the loop over `k` has no constant length");
  EXPECT_EQ(whyTooLong(seven.kernel(), 6), "the loop over `i` has more than 6 iterations");
  EXPECT_EQ(whyTooLong(seven.kernel(), 7), "");
  EXPECT_EQ(whyNot(product.kernel(), script::step("unroll", {"k"})),
            "the loop over `k` has no constant length");
  const script::Script tiled = {script::step("tile", {"k"}, {8}), script::step("unroll", {"k"})};
  const ScriptOutcome atTheEdge = run(tiled, product.kernel(), Mode::Strict);
  ASSERT_EQ(atTheEdge.failed.size(), 1U);
  EXPECT_EQ(atTheEdge.failed.front().problem.what,
            "the loop over `k` has fewer than 8 iterations at some points (separate them)");
}

TEST(KernelTasks, CutsWhatNoDependenceChanges) {
  Lifted rows(programs::kRows);
  const Outcome o = splitIntoTasks(recurrence(rows));
  ASSERT_TRUE(o.kernel) << o.why;
  ASSERT_EQ(o.kernel->schedule.taskDimensions.size(), 1u);
  EXPECT_EQ(o.kernel->schedule.taskDimensions[0].name, "x");
  EXPECT_EQ(pbc::poly::cxx(o.kernel->schedule.taskDimensions[0].low), "0");
  EXPECT_EQ(pbc::poly::cxx(o.kernel->schedule.taskDimensions[0].high), "w");
}

TEST(KernelTasks, Refuses) {
  Lifted prefix(programs::kPrefix), stencil(programs::kStencil);
  EXPECT_EQ(splitIntoTasks(recurrence(prefix)).why, "every loop over its points carries a dependence");
  EXPECT_EQ(splitIntoTasks(*splitIntoTasks(stencil.kernel(0, 0)).kernel).why, "it is cut into tasks already");
  EXPECT_EQ(splitIntoTasks(stencil.kernel(0, 1)).why, "its points are edges only");
}

TEST(KernelDefault, IsLegalForEveryProgram) {
  for (const char *program : {programs::kAdd, programs::kConvolve3, programs::kConvolve7,
                              programs::kConvolveRuntime, programs::kMatrixProduct, programs::kStencil,
                              programs::kPrefix, programs::kRows, programs::kTriangle, kAlongX, kAgainst}) {
    Lifted lifted(program);
    ASSERT_EQ(lifted.messages, "");
    for (int step = 0; step < lifted.steps(); ++step) {
      const Scheduled start = lifted.kernel(0, step);
      const Planned planned = defaultSchedule(start);
      EXPECT_THAT(verify(planned.kernel), IsEmpty()) << program;
      // The script says everything that the policy did.
      const ScriptOutcome again = run(planned.report.script, start, Mode::Strict);
      EXPECT_THAT(again.failed, IsEmpty()) << program;
      EXPECT_EQ(print(again.kernel), print(planned.kernel)) << program;
    }
  }
}

} // namespace
