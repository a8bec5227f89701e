// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team(): which loops are shared out, what their items do, and where there are none. What can be folded and scanned is tested in
// tests/unit/kernel/cooperate_test.cpp; results are compared by the tests of devices, which run every program's kernels.
#include "compiler/kernel/loops.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/verify.h"
#include "compiler/loop/build.h"
#include "compiler/loop/lower/lower.h"
#include "compiler/loop/print.h"
#include "compiler/loop/verify.h"
#include "tests/unit/transform/textual.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr const char *kRowSums = R"(kernel RowSums [h, w]
  context h >= 0 and w >= 0
  buffer s int 1-d local
  buffer A int 2-d input
  buffer R int 1-d output
  S0[y]: s[y] = 0
    { S0[y] : 0 <= y < h }
  S1[y; k]: s[y] += A[k, y]
    { S1[y, k] : 0 <= y < h and 0 <= k < w }
  S2[y]: R[y] = s[y]
    { S2[y] : 0 <= y < h }
  schedule
    band y
      alloc:s
        sequence
          S0
          S1
            band k
          S2
)";

constexpr const char *kSum = R"(kernel Sum [h, w]
  context h >= 0 and w >= 0
  buffer s long 0-d local
  buffer A long 2-d input
  buffer R long 0-d output
  S0[]: s[] = 0l
    { S0[] }
  S1[; j, k]: s[] += A[k, j]
    { S1[j, k] : 0 <= j < h and 0 <= k < w }
  S2[]: R[] = s[]
    { S2[] }
  schedule
    alloc:s
      sequence
        S0
        S1
          band j, k
        S2
)";

constexpr const char *kScan = R"(kernel Running [h, w]
  context h >= 0 and w >= 1
  buffer A int 2-d input
  buffer P int 2-d output
  S[x, y]: P[x, y] = P[x - 1, y] + A[x, y]
    { S[x, y] : 1 <= x < w and 0 <= y < h }
  schedule
    band y, x
)";

/// A sum over a triangle, for each of the columns of a row: the loop over x is not the same for all teams.
constexpr const char *kTriangle = R"(kernel Triangle [n]
  context n >= 0
  buffer s int 1-d local
  buffer A int 2-d input
  buffer R int 1-d output
  S0[y]: s[y] = 0
    { S0[y] : 0 <= y < n }
  S1[y; j, k]: s[y] += A[k, j]
    { S1[y, j, k] : 0 <= y < n and 0 <= j < y and 0 <= k < n and k <= 2 j }
  S2[y]: R[y] = s[y]
    { S2[y] : 0 <= y < n }
  schedule
    band y
      alloc:s
        sequence
          S0
          S1
            band j, k
          S2
)";

struct Lowering {
  std::string text; // of the loops, without indentation
  pbc::loop::SharedOut shared;
};

/// The loops of a device, which are checked.
Lowering lowered(const Scheduled &kernel) {
  EXPECT_THAT(verify(kernel), testing::IsEmpty());
  const pbc::loop::Nest nest = pbc::loop::build(kernel, pbc::loop::generate(kernel), true);
  EXPECT_EQ(pbc::loop::problem(nest.body, pbc::loop::Stage::Built), std::nullopt)
      << pbc::loop::text(nest, nest.body);
  const pbc::loop::Lowered made = pbc::loop::lower(nest, {.unitStride = false, .isDevice = true});
  EXPECT_EQ(pbc::loop::problem(made.body, pbc::loop::Stage::Lowered), std::nullopt)
      << pbc::loop::text(nest, made.body);
  return {pbc::loop::text(nest, made.body), made.sharedOut};
}

TEST(Team, SharesASumOut) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(kRowSums), "team(k)");
  ASSERT_TRUE(k);
  EXPECT_EQ(treeOf(*k), R"(cell:0
  band cell0 = y parallel
    alloc:s
      sequence
        S0
        S1
          team
            band k
        S2
)");
  EXPECT_EQ(scheduledLoops(*k), R"(    cells item0 from low0 to high0
      array int s
      s = 0
      for c0 = 0; c0 < w [team]
        s += A[c0, item0]
      R[item0] = s
)");
  EXPECT_EQ(print(t.kernel(print(*k))), print(*k));
  const Lowering made = lowered(*k);
  EXPECT_EQ(made.shared.loops, 1);
  EXPECT_EQ(made.shared.values, 1);
  EXPECT_THAT(made.text, HasSubstr("var c0 = 0 + (part * team + lane)\n"));
  EXPECT_THAT(made.text, HasSubstr("for c0; c0 < w; step here * team\n"));
  EXPECT_THAT(made.text, HasSubstr("team0[slot] = int(team0[slot] + team0[slot + half])"));
  EXPECT_THAT(made.text, HasSubstr("if place < high0 and lane = 0"));
}

/// An item folds its steps into several values, so that none waits for the one before it.
TEST(Team, HasSeveralSumsForEachItem) {
  Texts t;
  const Lowering made = lowered(*t.run(t.kernel(kRowSums), "team(k)"));
  EXPECT_THAT(made.text, HasSubstr("for c0; (c0 + 3 * (here * team)) < w; step 4 * (here * team)\n"));
  EXPECT_THAT(made.text, HasSubstr("s_3 += A[(c0 + 3 * (here * team)), item0]\n"));
  EXPECT_THAT(made.text, HasSubstr("s = int(s + s_3)\n"));
}

/// Items of a warp read each other's registers; which code a kernel has is known when it is built.
TEST(Team, FoldsInWarpsFirst) {
  Texts t;
  const Lowering made = lowered(*t.run(t.kernel(kRowSums), "team(k)"));
  EXPECT_THAT(made.text, HasSubstr("if PB_WARP > 1 and team mod PB_WARP = 0\n"));
  EXPECT_THAT(made.text, HasSubstr("shuffle int other = s of width lanes further\n"));
  EXPECT_THAT(made.text, HasSubstr("if slot mod PB_WARP = 0\n"));
}

/// Where rows of cells lie along memory, neighbouring items have neighbouring cells.
TEST(Team, OfNeighbouringCells) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(kRowSums), "team(; neighbours = cells)");
  ASSERT_TRUE(k);
  EXPECT_THAT(treeOf(*k), testing::StartsWith("neighbour:0\n"));
  EXPECT_THAT(scheduledLoops(*k), HasSubstr("cells item0 from low0 to high0 beside each other\n"));
  const Lowering made = lowered(*k);
  EXPECT_THAT(made.text, HasSubstr("let lane = slot / PB_C0\n"));
  EXPECT_THAT(made.text, HasSubstr("team0[slot + half * PB_C0]"));
  EXPECT_THAT(made.text, Not(HasSubstr("shuffle"))); // the items of a team are in several warps
  EXPECT_EQ(print(t.kernel(print(*k))), print(*k));
}

/// Of two loops that are each other's body, the steps of that along memory are dealt; one cell has no items.
TEST(Team, OfOneCell) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(kSum), "team()");
  ASSERT_TRUE(k);
  EXPECT_THAT(treeOf(*k), HasSubstr("team:folds\n"));
  EXPECT_THAT(treeOf(*k), HasSubstr("team:deals\n"));
  EXPECT_EQ(print(t.kernel(print(*k))), print(*k));
  const Lowering made = lowered(*k);
  EXPECT_EQ(made.shared.values, 1);
  EXPECT_THAT(made.text, HasSubstr("if cell = 0 and lane = 0"));
}

/// Scans do so, too: a round has a value of each warp in the group's memory, and two barriers.
TEST(Team, ScansInWarpsFirst) {
  Texts t;
  const Lowering made = lowered(*t.run(t.kernel(kScan), "team(x)"));
  const std::size_t begin = made.text.rfind("if PB_WARP > 1 and team mod PB_WARP = 0\n"),
                    end = made.text.find("for reach = 1; reach < team");
  ASSERT_LT(begin, end);
  const std::string ofWarps = made.text.substr(begin, end - begin);
  EXPECT_THAT(ofWarps, HasSubstr("for reach = 1; reach < PB_WARP; step reach\n"));
  EXPECT_THAT(ofWarps, HasSubstr("if slot mod PB_WARP >= reach\n"));
  EXPECT_THAT(ofWarps, HasSubstr("team0[slot / PB_WARP] = value\n"));
  EXPECT_EQ(ofWarps.find("barrier"), ofWarps.rfind("barrier"));
}

TEST(Team, LongScansGoThroughRowsOfWarps) {
  Texts t;
  const Lowering made = lowered(*t.run(t.kernel(kScan), "team(x)"));
  const std::size_t begin = made.text.find("for base = from; base < upto; step 8 * team\n"),
                    end = made.text.find("for base = from; base < upto; step team\n");
  ASSERT_LT(begin, end);
  const std::string rows = made.text.substr(begin, end - begin);
  // Only in the turn that may be the first or the last one are steps compared with the ends.
  const std::size_t full = rows.find("if first < base and base + 8 * team <= upto\n"),
                    other = rows.find("else\n");
  ASSERT_LT(full, other);
  EXPECT_EQ(rows.substr(full, other - full).find("if c0"), std::string::npos) << rows;
  EXPECT_THAT(rows, HasSubstr("if c0 = first\n"));
  EXPECT_THAT(rows, HasSubstr("team0[slot / PB_WARP] = row[7]\n"));
  EXPECT_THAT(made.text, HasSubstr("if pass = 1\n")) << "parts are summed";
}

TEST(Team, ScansALoopOverPoints) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(kScan), "team(x)");
  ASSERT_TRUE(k);
  EXPECT_EQ(treeOf(*k), R"(cell:0
  band cell0 = y parallel
    team
      band x
)");
  EXPECT_EQ(print(t.kernel(print(*k))), print(*k));
  const Lowering made = lowered(*k);
  EXPECT_EQ(made.shared.values, 1);
  EXPECT_THAT(made.text, HasSubstr("for base = from; base < upto; step team\n"));
  EXPECT_THAT(made.text, HasSubstr("if c0 = first\n"));
}

/// Only items of the same cell come to the same steps: the loop is shared out by the team of each cell, and several groups could not
/// share it, if it stands in a loop.
TEST(Team, InALoopThatDiffersBetweenTeams) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(kTriangle), "team()");
  ASSERT_TRUE(k);
  const Lowering made = lowered(*k);
  EXPECT_EQ(made.shared.loops, 1);
}

TEST(Team, WhereThereIsNone) {
  Texts t;
  std::string rounded = kRowSums;
  for (std::size_t at; (at = rounded.find(" int ")) != std::string::npos;)
    rounded.replace(at, 5, " float ");
  rounded.replace(rounded.find("s[y] = 0"), 8, "s[y] = 0.0f");
  EXPECT_THAT(t.after(t.kernel(rounded), "team()"), HasSubstr("rounds in its order"));
  EXPECT_EQ(t.after(t.kernel(kRowSums), "team(y)"), "refused: its loop over `y` cannot be shared out");
  EXPECT_EQ(t.after(t.kernel(kRowSums), "items(); team()"),
            "refused: its points belong to tasks or items already");
  EXPECT_EQ(t.after(t.kernel(kRowSums), "team(); stage(A)"),
            "refused: the items of a group compute more than a point each already");
  EXPECT_THAT(t.after(t.kernel(kRowSums), "team(); tile(k; 4)"), HasSubstr("is realised as team already"));
}

/// Without cells of teams the loop runs as it is.
TEST(Team, OnTheProcessor) {
  Texts t;
  Scheduled k = *t.run(t.kernel(kRowSums), "team()");
  k.schedule.tree = realised(k.schedule.tree, "cell0", std::nullopt);
  EXPECT_THAT(lowered(k).text, Not(HasSubstr("[team]")));
}

} // namespace
