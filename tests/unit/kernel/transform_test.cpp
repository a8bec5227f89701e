// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each transformation: its effect on the schedule, and the reasons for which it refuses kernels.
#include "compiler/kernel/default_schedule.h"
#include "compiler/kernel/interchange.h"
#include "compiler/kernel/jam.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/tile.h"
#include "compiler/kernel/tree.h"
#include "compiler/kernel/unroll.h"
#include "compiler/kernel/vectorise.h"
#include "compiler/kernel/verify.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
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

std::string scheduleOf(const Scheduled &kernel) {
  const std::string text = print(kernel);
  return text.substr(text.find("  schedule\n"));
}

TEST(KernelLift, StatementsAndProgramOrder) {
  Lifted lifted(programs::kConvolve7);
  const Scheduled k = lifted.kernel();
  EXPECT_EQ(print(k), R"(kernel Conv7.rule0 [w, h]
  buffer R0_s double 2-d local
  buffer A double 2-d input
  buffer K double 1-d input
  buffer B double 2-d output
  R0_S0[x, y]: R0_s[x, y] = 0.0
    { R0_S0[x, y] : 0 <= x <= -7 + w and 0 <= y < h }
  R0_S1[x, y, i]: R0_s[x, y] += A[x + i, y] * K[i]
    { R0_S1[x, y, i] : 0 <= x <= -7 + w and 0 <= y < h and 0 <= i <= 6 }
  R0_S2[x, y]: B[x, y] = R0_s[x, y]
    { R0_S2[x, y] : 0 <= x <= -7 + w and 0 <= y < h }
  schedule
    band y parallel, x parallel
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

TEST(KernelInterchange, SwapsIndependentLoops) {
  Lifted lifted(programs::kStencil);
  const Outcome o = interchange(lifted.kernel(), {1, 0});
  ASSERT_TRUE(o.kernel) << o.why;
  EXPECT_EQ(scheduleOf(*o.kernel), "  schedule\n    band x parallel, y parallel\n");
  EXPECT_THAT(verify(*o.kernel), IsEmpty());
}

TEST(KernelInterchange, RefusesABackwardDependence) {
  Lifted lifted(kAgainst);
  const Outcome o = interchange(recurrence(lifted), {1, 0});
  EXPECT_FALSE(o.kernel);
  EXPECT_EQ(o.why, "a value would be used before it is computed");
}

TEST(KernelInterchange, RefusesAnOrderThatIsNone) {
  Lifted lifted(programs::kStencil);
  EXPECT_EQ(interchange(lifted.kernel(), {0, 0}).why, "the new order must name each of its 2 loops once");
  EXPECT_EQ(interchange(lifted.kernel(), {0}).why, "the new order must name each of its 2 loops once");
}

TEST(KernelTile, CutsAPermutableBand) {
  Lifted lifted(programs::kRows);
  const Outcome o = tile(recurrence(lifted), {4, 32});
  ASSERT_TRUE(o.kernel) << o.why;
  EXPECT_THAT(scheduleOf(*o.kernel), HasSubstr("floordiv(x, 32)"));
  EXPECT_THAT(verify(*o.kernel), IsEmpty());
}

TEST(KernelTile, RefusesABackwardDependence) {
  Lifted lifted(kAgainst);
  EXPECT_EQ(tile(recurrence(lifted), {4, 4}).why,
            "a dependence goes backwards in one of its loops, so that tiles would need each other");
}

TEST(KernelTile, RefusesWrongSizes) {
  Lifted lifted(programs::kStencil);
  EXPECT_EQ(tile(lifted.kernel(), {4}).why, "it has 2 loops over its points, and 1 tile sizes are given");
  EXPECT_EQ(tile(lifted.kernel(), {4, -1}).why,
            "a tile size is 1 to 999999999, or 0 for a loop that is not cut");
  EXPECT_EQ(tile(lifted.kernel(), {0, 0}).why, "no loop is to be cut");
}

TEST(KernelVectorise, MarksShortBodies) {
  Lifted lifted(programs::kConvolve7);
  const Outcome o = vectorise(lifted.kernel());
  ASSERT_TRUE(o.kernel) << o.why;
  EXPECT_EQ(scheduleOf(*o.kernel), R"(  schedule
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

TEST(KernelVectorise, SpreadsLongBodiesOverLanes) {
  Lifted lifted(programs::kMatrixProduct);
  const Outcome o = vectorise(lifted.kernel());
  ASSERT_TRUE(o.kernel) << o.why;
  EXPECT_THAT(scheduleOf(*o.kernel), HasSubstr(R"(      lanes:32
        band x parallel
          alloc:R0_s
            sequence
              R0_S0
              R0_S1
                band k
)"));
  EXPECT_THAT(print(*o.kernel), HasSubstr("buffer R0_s double 2-d local, 32 lanes\n"));
  EXPECT_THAT(verify(*o.kernel), IsEmpty());
}

TEST(KernelVectorise, Refuses) {
  Lifted along(kAlongX), prefix(programs::kPrefix), triangle(programs::kTriangle);
  EXPECT_EQ(vectorise(recurrence(along)).why, "a point needs the one before it along x");
  EXPECT_EQ(vectorise(recurrence(prefix)).why, "a point needs the one before it along i");
  EXPECT_EQ(vectorise(triangle.kernel()).why, "the length of the loop over k depends on x");
  EXPECT_EQ(vectorise(*interchange(Lifted(programs::kStencil).kernel(), {1, 0}).kernel).why,
            "its loop over x is not the innermost one over points");
}

TEST(KernelJam, MarksRowsThatShareTheirReads) {
  Lifted l(R"(
transform Blur from A[w, h] to B[w - 2, h - 2] {
  B.cell(x, y) from(A.region(x, y, x + 3, y + 3) a) {
    return a.cell(0, 0) + a.cell(1, 0) + a.cell(2, 0) + a.cell(0, 1) + a.cell(2, 1) + a.cell(0, 2) + a.cell(1, 2) + a.cell(2, 2);
  }
}
)");
  const Scheduled vectors = *vectorise(l.kernel()).kernel;
  const Outcome o = jam(vectors);
  ASSERT_TRUE(o.kernel) << o.why;
  EXPECT_THAT(print(*o.kernel), HasSubstr("jam:4\n      band y parallel\n        vector"));
  EXPECT_TRUE(isLegal(o.kernel->schedule.tree, o.kernel->dependences));
}

TEST(KernelJam, Refuses) {
  Lifted apart("transform T from A[w, h] to B[w, h] { B.cell(x, y) from(A.cell(x, y) a) { return a; } }");
  EXPECT_THAT(jam(*vectorise(apart.kernel()).kernel).why, HasSubstr("neighbours along y share too few"));
  Lifted nothing("transform T from A[w, h] to B[w, h] { B.cell(x, y) from() { return 0; } }");
  EXPECT_THAT(jam(*vectorise(nothing.kernel()).kernel).why, HasSubstr("neighbours along y share too few"));
  Lifted flat("transform T from A[n] to B[n] { B.cell(i) from(A.cell(i) a) { return a; } }");
  EXPECT_THAT(jam(*vectorise(flat.kernel()).kernel).why, HasSubstr("no loop is around a vector loop"));
}

TEST(KernelUnroll, RefusesRunTimeLengths) {
  Lifted product(programs::kMatrixProduct), seven(programs::kConvolve7);
  EXPECT_EQ(unrollBodies(product.kernel(), 32).why, "the loop over k has no constant length");
  EXPECT_EQ(unrollBodies(seven.kernel(), 6).why, "the loop over i has more than 6 iterations");
  EXPECT_TRUE(unrollBodies(seven.kernel(), 7).kernel);
}

TEST(KernelTasks, CutsWhatNoDependenceChanges) {
  Lifted rows(programs::kRows);
  const Outcome o = splitIntoTasks(recurrence(rows));
  ASSERT_TRUE(o.kernel) << o.why;
  ASSERT_EQ(o.kernel->schedule.taskDimensions.size(), 1u);
  EXPECT_EQ(o.kernel->schedule.taskDimensions[0].name, "x");
  EXPECT_EQ(poly::cxx(o.kernel->schedule.taskDimensions[0].low), "0");
  EXPECT_EQ(poly::cxx(o.kernel->schedule.taskDimensions[0].high), "w");
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
    for (int step = 0; step < lifted.steps(); ++step)
      EXPECT_THAT(verify(defaultSchedule(lifted.kernel(0, step)).kernel), IsEmpty()) << program;
  }
}

} // namespace
