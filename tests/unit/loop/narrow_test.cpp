// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For which sizes indices have 32 bits: what the numbers of a tree are multiples of, and what cannot be bounded.
#include "compiler/loop/narrow.h"
#include <gtest/gtest.h>

namespace pbc::loop {
namespace {

Expr size(const char *name) { return make({Name{Name::Kind::Value, name}}); }
Expr cell(Expr index) { return make({Element{0, {std::move(index)}}}); }

/// for c < end: A[index] = 1
NodePtr loopOver(Expr end, Expr at) {
  const NodePtr body = make({Assign{cell(std::move(at)), {}, make({Literal{"1.0", Scalar::F64}})}});
  return make({For{"c", integer(0), less(index("c"), std::move(end)), nullptr, body}});
}

TEST(Narrow, NumbersAreMultiplesOfSizes) {
  const long once = largestSizeIn32Bits(loopOver(size("n"), index("c")));
  EXPECT_GT(once, 1'000'000'000);
  EXPECT_LT(once, 0x7fffffff);
  const long thrice =
      largestSizeIn32Bits(loopOver(size("n"), add(multiply(integer(3), index("c")), integer(1))));
  EXPECT_GT(thrice, 600'000'000);
  EXPECT_LT(thrice, 0x7fffffff / 3);
}

TEST(Narrow, NamesStandForWhatTheyAreGiven) {
  const NodePtr wide = make({Let{{{"wide", multiply(integer(1000), size("n"))}}}});
  const long most = largestSizeIn32Bits(block({wide, loopOver(index("wide"), index("c"))}));
  EXPECT_GT(most, 1'000'000);
  EXPECT_LT(most, 0x7fffffff / 1000);
  EXPECT_EQ(largestSizeIn32Bits(loopOver(integer(3'000'000'000), index("c"))), 0)
      << "a constant does not fit";
}

TEST(Narrow, AProductOfSizesHasNoBound) {
  EXPECT_EQ(largestSizeIn32Bits(loopOver(multiply(size("n"), size("m")), index("c"))), 0);
}

/// Of a body's own arithmetic only indices count: its numbers have the types that the program gives them.
TEST(Narrow, WhatBodiesComputeDoesNotCount) {
  const Expr wide = make({Cast{Scalar::I64, index("c")}});
  const Expr square = make({Operation{Operation::Op::Multiply, Scalar::I64, {wide, wide}}});
  const NodePtr body = make({Assign{cell(index("c")), {}, square}});
  const NodePtr loop = make({For{"c", integer(0), less(index("c"), size("n")), nullptr, body}});
  EXPECT_GT(largestSizeIn32Bits(loop), 1'000'000'000);
}

} // namespace
} // namespace pbc::loop
