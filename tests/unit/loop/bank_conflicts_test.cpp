// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conflicts of banks in a group's memory, for accesses of which it is known how often the memory is asked.
#include "compiler/loop/bank_conflicts.h"
#include <gtest/gtest.h>

using namespace pbc::loop;

namespace {

Expr times(const Expr &e, long factor) { return multiply(e, integer(factor)); }

/// The degrees of `s += M[place]` for each item of a group, where `place` may use `lane`, `row` and, if it is written out, `r`.
int readsOf(const Expr &place, Scalar element = Scalar::F32, long writtenOut = 1,
            LaunchShape shape = {{32, 4, 1}, {1, 1, 1}}) {
  Matrix memory{"M", element, 1};
  memory.ofGroup = {{0, -1, false, 0, 1 << 16}};
  const Expr sum = make(Expression{Local{"s", element, {}}});
  NodePtr body = make(Node{Assign{sum, Operation::Op::Add, make(Expression{Element{0, {place}}})}});
  For loop{"r", integer(0), less(index("r"), integer(writtenOut)), nullptr, body};
  loop.hint.unrolling = Hint::Unrolling::Fully;
  body = make(Node{Parallel{Parallel::Over::Items, 0, "lane", integer(0), nullptr, make(Node{loop})}});
  body = make(Node{Parallel{Parallel::Over::Items, 1, "row", integer(0), nullptr, body}});
  const std::vector<BankUse> uses = bankUses({memory}, body, shape);
  EXPECT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses.front().writes, 0);
  return uses.front().reads;
}

const Expr kLane = index("lane"), kRow = index("row"), kR = index("r");

TEST(BankConflicts, AsManyTurnsAsABankHasWords) {
  EXPECT_EQ(readsOf(kLane), 1);
  EXPECT_EQ(readsOf(times(kLane, 2)), 2);
  EXPECT_EQ(readsOf(times(kLane, 32)), 32);
  EXPECT_EQ(readsOf(times(kLane, 33)), 1);
  EXPECT_EQ(readsOf(kRow), 1) << "all lanes read one word";
  EXPECT_EQ(readsOf(add(times(kLane, 4), kRow), Scalar::F32, 1, {{8, 4, 1}, {1, 1, 1}}), 1);
  EXPECT_EQ(readsOf(add(times(kLane, 4), kRow), Scalar::F32, 1, {{16, 2, 1}, {1, 1, 1}}), 2);
}

// Test 12 of optimisation-scripts 10: a column of a copy is in as many banks as it has rows if its rows are one cell longer than the copied ones.
TEST(BankConflicts, ColumnsOfRowsThatAreOneCellLongerHaveNone) {
  // A half of a warp reads a column of 16 cells; the paper's device has 16 banks, this one 32.
  const auto ofColumn = [](long row) {
    return readsOf(times(kLane, row), Scalar::F32, 1, {{16, 2, 1}, {1, 1, 1}});
  };
  EXPECT_EQ(ofColumn(16), 8);
  EXPECT_EQ(ofColumn(17), 1);
  EXPECT_EQ(readsOf(times(kLane, 32)), 32);
  EXPECT_EQ(readsOf(times(kLane, 33)), 1);
}

TEST(BankConflicts, HalvesOfAWarpReadDoubles) {
  EXPECT_EQ(readsOf(kLane, Scalar::F64), 1);
  EXPECT_EQ(readsOf(times(kLane, 2), Scalar::F64), 2);
  EXPECT_EQ(readsOf(times(kLane, 17), Scalar::F64), 1);
}

TEST(BankConflicts, NeighboursAreReadTogetherWhereTheyBeginAtMultiplesOf16Bytes) {
  EXPECT_EQ(readsOf(add(times(kLane, 4), kR), Scalar::F32, 4), 1);
  EXPECT_EQ(readsOf(add(times(kLane, 4), add(kR, integer(1))), Scalar::F32, 3), 4)
      << "three cells, one by one";
  EXPECT_EQ(readsOf(add(times(kLane, 8), kR), Scalar::F32, 4), 2);
  EXPECT_EQ(readsOf(add(times(kLane, 2), kR), Scalar::F64, 2), 1);
  EXPECT_EQ(readsOf(add(times(kLane, 4), kR), Scalar::F64, 4), 2);
}

} // namespace
