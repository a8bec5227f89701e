// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What kernels know of the cells that bodies read.
#include "compiler/kernel/precision.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/touched_cells.h"
#include "tests/unit/kernel/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;

namespace {

std::string neighbours(const std::string &next) {
  return R"(
transform Neighbours from A[w, h] to B[w, h] {
  to(B.row(y) b) from(A.row(y) a) {
    for (int i = 0; i < w; ++i) b.cell(i) = )" +
         next + R"( + a.cell(i);
  }
}
)";
}

// A cell outside of the matrix is not among those that a copy has to fetch.
TEST(Lift, WhatABodyReadsOnlyUnderAConditionIsInTheMatrix) {
  for (const char *next : {"(i < w - 1 ? a.cell(i + 1) : 0)", "(i == w - 1 ? 0 : a.cell(i + 1))",
                           "(i < w - 1 && a.cell(i + 1) > 0 ? 1.0 : 0.0)", "(i > 0 ? a.cell(i - 1) : 0)"}) {
    Lifted l(neighbours(next));
    const Scheduled kernel = l.kernel();
    const std::optional<isl::set> read = cellsRead(kernel, 0);
    ASSERT_TRUE(read) << next;
    const isl::set cells(kernel.context.ctx(), "[w, h] -> { A[x, y] : 0 <= x < w and 0 <= y < h }");
    EXPECT_TRUE(read->is_subset(cells)) << next << ": " << print(kernel);
  }
}

TEST(Lift, ConditionsThatDecideNothingLeaveNoTrace) {
  Lifted l(neighbours("(a.cell(i) > 0 ? a.cell(i) : 0)"));
  EXPECT_THAT(print(l.kernel()), HasSubstr("((A[i, y] > 0.0) ? A[i, y] : 0.0)"));
}

TEST(Precision, ALiteralWithoutItsFComputesInDouble) {
  const auto literal = [](const std::string &value, const std::string &inputs = "A[n] : float") {
    Lifted l("transform T from " + inputs +
             " to B[n] : float { to(B.cell(i) b) from(A.cell(i) a) { b = " + value + "; } }");
    return literalOfDouble(l.kernel());
  };
  EXPECT_EQ(literal("0.2 * a"), "0.2");
  EXPECT_EQ(literal("a > 0.5 ? a : 2 * a"), "0.5");
  EXPECT_EQ(literal("0.2f * a"), "");
  EXPECT_EQ(literal("2 * a"), "");
  EXPECT_EQ(literal("(float)0.2 * a"), "");
  EXPECT_EQ(literal("0.2"), "") << "it is only stored";
  EXPECT_EQ(literal("0.2 * a", "A[n] : double"), "") << "the matrix is of double";
}

} // namespace
