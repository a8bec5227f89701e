// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which memory lines come from.
#include "compiler/emulate/processor/line_sources.h"
#include <gtest/gtest.h>

namespace pbc::emulate {
namespace {

constexpr double kL1 = 32 * 1024, kL2 = 1024 * 1024;
constexpr long kRow = 1000 * 8; // bytes

/// A cell of 8 bytes for each iteration of x in y; rows of 1000.
Stream cell(int matrix, long x, long y) { return {matrix, 8 * x + kRow * y, 8, {0, 1}, {kRow, 8}}; }

using Lines = std::vector<double>;

TEST(LineSources, AStreamFetchesEachLineOnce) {
  const LineSources made = lineSources({{1e6}, {{0, 0, 8, {0}, {8}}}}, {kL1, kL2}, false);
  EXPECT_EQ(made.lines[0], (Lines{0, 1. / 8})) << "from memory, and nothing from L2";
  EXPECT_TRUE(made.areFollowed[0]);
}

TEST(LineSources, StoredLinesAreFetchedAndWrittenBack) {
  EXPECT_EQ(lineSources({{1e6}, {{0, 0, 8, {0}, {8}, true}}}, {kL1, kL2}, false).lines[0],
            (Lines{0, 2. / 8}));
}

TEST(LineSources, AVectorIsALine) {
  EXPECT_EQ(lineSources({{1e6}, {{0, 0, 64, {0}, {64}}}}, {kL1, kL2}, false).lines[0], (Lines{0, 1}));
}

TEST(LineSources, WhatRanBeforeIsWhereItFits) {
  EXPECT_EQ(lineSources({{1e4}, {{0, 0, 8, {0}, {8}}}}, {kL1, kL2}, true).lines[0], (Lines{1. / 8, 0}))
      << "80 KB";
  EXPECT_EQ(lineSources({{1e3}, {{0, 0, 8, {0}, {8}}}}, {kL1, kL2}, true).lines[0], (Lines{0, 0})) << "8 KB";
}

TEST(LineSources, RowsOfAStencilComeFromTheMemoryThatHoldsTheRowsBetween) {
  const Nest nest{{1000, 1000}, {cell(0, 0, 0), cell(0, 0, 1), cell(0, 0, 2)}};
  const LineSources large = lineSources(nest, {kL1, kL2}, false);
  EXPECT_EQ(large.lines[2], (Lines{0, 1. / 8})) << "the row in front is new";
  EXPECT_EQ(large.lines[1], (Lines{0, 1. / 8000}))
      << "the next one was used a row ago, but for the first row, and L1 holds four";
  const LineSources small = lineSources(nest, {16 * 1024., kL2}, false);
  EXPECT_NEAR(small.lines[1][0], 1. / 8, 0.001) << "here it does not";
}

TEST(LineSources, NeighboursInARowShareTheirLines) {
  const LineSources made =
      lineSources({{1000, 1000}, {cell(0, 0, 0), cell(0, 1, 0), cell(0, 2, 0)}}, {kL1, kL2}, false);
  EXPECT_EQ(made.lines[0], (Lines{0, 0}));
  EXPECT_EQ(made.lines[1], (Lines{0, 0}));
  EXPECT_EQ(made.lines[2], (Lines{0, 1. / 8}));
}

/// for x: for y: A[x, y], a column after the other: eight of them use the same lines.
TEST(LineSources, ColumnsUseTheirLinesAgain) {
  const Nest nest{{1000, 1000}, {{0, 0, 8, {0, 1}, {8, kRow}}}};
  EXPECT_EQ(lineSources(nest, {kL1, kL2}, false).lines[0], (Lines{7. / 8, 1. / 8})) << "1000 lines are 64 KB";
  EXPECT_FALSE(lineSources(nest, {kL1, kL2}, false).areFollowed[0]);
  EXPECT_EQ(lineSources(nest, {128 * 1024., kL2}, false).lines[0], (Lines{0, 1. / 8}));
}

/// for i: for j: for k: C[i, j] += A[i, k] * B[k, j] in rows of 1000.
TEST(LineSources, ProductByItsDefinition) {
  const Nest nest{{1000, 1000, 1000},
                  {{0, 0, 8, {0, 1, 2}, {kRow, 0, 8}}, {1, 0, 8, {0, 1, 2}, {0, 8, kRow}}}};
  const LineSources made = lineSources(nest, {kL1, kL2}, false);
  EXPECT_NEAR(made.lines[0][0], 1. / 8, 0.001) << "a row is 8 KB, and the column beside it too much for L1";
  EXPECT_NEAR(made.lines[1][0], 7. / 8, 0.001);
  EXPECT_NEAR(made.lines[1][1], 1. / 8, 0.001) << "B does not fit into L2";
}

TEST(LineSources, AGatherNeedsALineForEachCell) {
  const Nest nest{{1000}, {{0, 0, 64, {0}, {8 * kRow}, false, 8}}};
  EXPECT_EQ(lineSources(nest, {kL1, kL2}, false).lines[0], (Lines{0, 8}));
}

/// for x: for y by vectors of 8: A[x, y], A[x, y + 1]: the cells of a vector are in rows side by side, and those of the other access in the same.
TEST(LineSources, GathersOfNeighbouringRowsShareTheirLines) {
  const Stream first{0, 0, 8, {0, 1}, {8, 8 * kRow}, false, 8, kRow};
  Stream second = first;
  second.byte = kRow;
  const LineSources made = lineSources({{1000, 50}, {first, second}}, {kL1, kL2}, false);
  EXPECT_NEAR(made.lines[0][1], 0, 0.03) << "another one has them an iteration before, but for the first";
  EXPECT_NEAR(made.lines[1][1], 1, 0.1) << "8 cells, each with an eighth of a line";
}

/// for t < 1: for y: for x: a loop of one iteration fetches nothing by itself and hides nothing.
TEST(LineSources, ALoopOfOneIterationChangesNothing) {
  const Nest nest{{1, 1000, 1000}, {{0, 0, 8, {0, 1, 2}, {0, kRow, 8}}}};
  EXPECT_EQ(lineSources(nest, {kL1, kL2}, false).lines[0], (Lines{0, 1. / 8}));
}

/// 300 rows of 4096 bytes begin in the same set; of 4160 bytes, in 64 sets.
TEST(LineSources, ColumnsOfAPowerOfTwoShareASet) {
  const auto column = [](long row) { return Nest{{8, 300}, {{0, 0, 8, {0, 1}, {8, row}}}}; };
  EXPECT_NEAR(lineSources(column(4160), {kL1, kL2}, true).lines[0][0], 0, 0.01) << "300 lines are 19 KB";
  EXPECT_NEAR(lineSources(column(4096), {kL1, kL2}, true).lines[0][0], 1, 0.01) << "one set holds 8 of them";
}

/// Pages as lines of 4096 bytes, of which 64 are known: a column over 100 pages walks for each cell, one over 50 for each page.
TEST(LineSources, PagesAreForgottenLikeLines) {
  constexpr double kPage = 4096;
  const auto walks = [](double rows) {
    return lineSources({{512, rows}, {{0, 0, 8, {0, 1}, {8, 4096}}}}, {kPage, 64 * kPage}, true, kPage)
        .lines[0]
        .back();
  };
  EXPECT_NEAR(walks(100), 1, 0.01);
  EXPECT_NEAR(walks(50), 0, 0.01);
}

/// Eight copies of half a line each, side by side, that move on by 256 bytes: four lines of each matrix in an iteration.
TEST(LineSources, CopiesSideBySideShareLinesInPairs) {
  Nest nest{{1e5}, {}};
  for (long copy = 0; copy < 8; ++copy)
    nest.streams.push_back({0, 32 * copy, 32, {0}, {256}});
  const LineSources made = lineSources(nest, {kL1, kL2}, false);
  double all = 0;
  for (const Lines &one : made.lines)
    all += one[1];
  EXPECT_NEAR(all, 4, 0.01);
}

/// Neighbours that move on by more than they use are no rows that are used again.
TEST(LineSources, NeighboursOfShortRunsHaveCellsOfTheirOwn) {
  Nest nest{{20}, {}};
  for (long copy = 0; copy < 24; ++copy)
    nest.streams.push_back({0, 64 * copy, 64, {0}, {64 * 24}});
  for (const Lines &one : lineSources(nest, {20 * 24 * 64 / 2.0, kL2}, true).lines)
    EXPECT_NEAR(one[0], 1, 0.01) << "twice of what L1 holds is used in all";
}

} // namespace
} // namespace pbc::emulate
