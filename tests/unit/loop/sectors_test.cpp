// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sectors that accesses of a warp touch, where it is known how many these are.
#include "compiler/loop/sectors.h"
#include <gtest/gtest.h>

using namespace pbc::loop;

namespace {

Expr multiplied(const Expr &e, long factor) { return multiply(e, integer(factor)); }

/// Sectors for each one that the lanes would fill, of `s += A[x, y]` for each item of a group of 32 x 4.
double sectorsOf(const Expr &x, const Expr &y, Scalar element = Scalar::F32, long writtenOut = 1,
                 LaunchShape shape = {{32, 4, 1}, {1, 1, 1}}) {
  const Matrix matrix{"A", element, 2};
  const Expr sum = make(Expression{Local{"s", element, {}}});
  NodePtr body = make(Node{Assign{sum, Operation::Op::Add, make(Expression{Element{0, {x, y}}})}});
  For loop{"r", integer(0), less(index("r"), integer(writtenOut)), nullptr, body};
  loop.hint.unrolling = Hint::Unrolling::Fully;
  body = make(Node{Parallel{Parallel::Over::Items, 0, "lane", integer(0), nullptr, make(Node{loop})}});
  body = make(Node{Parallel{Parallel::Over::Items, 1, "row", integer(0), nullptr, body}});
  const std::vector<SectorUse> uses = sectorUses({matrix}, body, shape);
  EXPECT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses.front().matrix, "A");
  EXPECT_EQ(uses.front().writes, 0);
  return uses.front().reads;
}

const Expr kX = index("lane"), kY = index("row"), kTurn = index("r");

TEST(Sectors, OfNeighboursAreThoseOfTheirBytes) {
  EXPECT_EQ(sectorsOf(kX, kY), 1);
  EXPECT_EQ(sectorsOf(kX, kY, Scalar::F64), 1);
  EXPECT_EQ(sectorsOf(integer(0), kY), 1) << "all lanes read one cell";
  EXPECT_EQ(sectorsOf(kX, kY, Scalar::F32, 1, {{16, 2, 1}, {1, 1, 1}}), 1) << "two rows";
  EXPECT_EQ(sectorsOf(integer(0), kY, Scalar::F32, 1, {{16, 2, 1}, {1, 1, 1}}), 1)
      << "a cell of each of two rows";
}

TEST(Sectors, ThatAreNotAlignedAreOneMore) {
  EXPECT_EQ(sectorsOf(add(kX, integer(1)), kY), 5.0 / 4);
  EXPECT_EQ(sectorsOf(add(kX, integer(1)), kY, Scalar::F64), 9.0 / 8);
}

TEST(Sectors, OfColumnsAreOneForEachCell) {
  EXPECT_EQ(sectorsOf(kY, kX), 32.0 / 4);
  EXPECT_EQ(sectorsOf(kY, kX, Scalar::F64), 32.0 / 8);
  EXPECT_EQ(sectorsOf(multiplied(kX, 2), kY), 2);
}

TEST(Sectors, ThatWrittenOutLoopsReadFromOnceAreShared) {
  EXPECT_EQ(sectorsOf(add(multiplied(kX, 4), kTurn), kY, Scalar::F32, 4), 1);
  EXPECT_EQ(sectorsOf(kTurn, kX, Scalar::F32, 8), 1) << "eight cells of each row fill a sector";
  EXPECT_EQ(sectorsOf(kTurn, kX, Scalar::F32, 2), 4);
}

} // namespace
