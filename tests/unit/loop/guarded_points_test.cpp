// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What items do for the points of their blocks: under conditions that differ between points, and row by row.
#include "compiler/loop/bank_conflicts.h"
#include "compiler/loop/lower/lower.h"
#include "compiler/loop/print.h"
#include "tests/unit/loop/points.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbc::loop {
namespace {

using testing::HasSubstr;
using testing::Not;

/// points item0 in blocks { for c0 in strips { for k in [c0, c0 + 15] { if item0 <= k { s += value } } } }
Nest triangle(const Expr &value, Scalar type = Scalar::F64) {
  const NodePtr sum = make(Node{Assign{scalar("s", type), Operation::Op::Add, value}});
  const NodePtr body = make(Node{If{arithmetic(Arithmetic::Op::LessEqual, {kPoint, kStep}), sum, nullptr}});
  const Expr last = minimum(add(kStrip, integer(15)), subtract(limit("high1"), integer(1)));
  const NodePtr steps =
      make(Node{For{"k", kStrip, arithmetic(Arithmetic::Op::LessEqual, {kStep, last}), nullptr, body}});
  const NodePtr strips = make(Node{For{"c0", integer(0), less(kStrip, limit("high1")), integer(16), steps}});
  const NodePtr points = make(Node{Points{{{"item0", "place0", "first0", "last0", "begin0", "r0",
                                            limit("low0"), limit("high0"), kernel::as::Item::Each::Block}},
                                          block({make(Node{Array{"s", type, {}}}), strips})}});
  return {matrices(type), points};
}

std::string lowered(const Nest &nest) { return text(nest, lower(nest, {}).body); }

TEST(GuardedPoints, WhatIsInTheMemoryIsReadInFrontOfTheCondition) {
  const std::string made = lowered(triangle(element(kMemory, {kPlace, subtract(kStep, kStrip)})));
  EXPECT_THAT(made, HasSubstr("pb__next = s[r0] + M[place0, k - c0]"));
  EXPECT_THAT(made, HasSubstr("s[r0] = pb__next"));
}

TEST(GuardedPoints, WhatMayLieElsewhereIsNot) {
  for (const Expr &cell : {element(kMemory, {kPlace, kStep}),
                           element(kMemory, {add(kPlace, integer(1)), subtract(kStep, kStrip)}),
                           element(kMemory, {kPlace, add(subtract(kStep, kStrip), integer(1))}),
                           element(kMemory, {kPlace, subtract(kStep, kPoint)}), element(kMatrix, {kPoint})})
    EXPECT_THAT(lowered(triangle(cell)), Not(HasSubstr("pb__next")));
}

TEST(GuardedPoints, WholeNumbersAreNotDividedWhereTheyMayBeZero) {
  const Expr cell = element(kMemory, {kPlace, subtract(kStep, kStrip)});
  const auto quotient = [&](Scalar type) {
    return make(Expression{Operation{Operation::Op::Divide, type, {cell, cell}}});
  };
  EXPECT_THAT(lowered(triangle(quotient(Scalar::F64))), HasSubstr("pb__next"));
  EXPECT_THAT(lowered(triangle(make(Expression{Cast{Scalar::F64, quotient(Scalar::I64)}}))),
              Not(HasSubstr("pb__next")));
}

// Under their condition, some of the lanes read one cell and others two neighbours.
TEST(GuardedPoints, TriangleReadsItsMemoryInOneTurn) {
  const Nest nest = triangle(element(kMemory, {kPlace, subtract(kStep, kStrip)}));
  const std::vector<BankUse> uses = bankUses(nest.buffers, lower(nest, {}).body, {{32, 1, 1}, {8, 1, 1}});
  ASSERT_EQ(uses.size(), 1u);
  EXPECT_EQ(uses.front().reads, 1);
}

TEST(Points, StatementsOfARowStandTogether) {
  const auto axis = [](const std::string &k) {
    return Points::Axis{"item" + k,       "place" + k,       "first" + k,
                        "last" + k,       "begin" + k,       "r" + k,
                        limit("low" + k), limit("high" + k), kernel::as::Item::Each::Block};
  };
  const NodePtr read = make(Node{Assign{scalar("s"), {}, element(kMatrix, {kPoint})}});
  const NodePtr store = make(Node{Assign{element(kMatrix, {index("item1")}), {}, scalar("s")}});
  const Nest nest{matrices(Scalar::F64),
                  make(Node{Points{{axis("0"), axis("1")},
                                   block({make(Node{Array{"s", Scalar::F64, {}}}), read, store})}})};
  const std::string made = lowered(nest);
  const auto count = [&](const std::string &what) {
    std::size_t number = 0;
    for (std::size_t at = made.find(what); at != std::string::npos; at = made.find(what, at + 1))
      ++number;
    return number;
  };
  EXPECT_EQ(count("for r1 = "), 1u);
  EXPECT_EQ(count("for r0 = "), 2u) << "all of a row is read before it is stored";
}

} // namespace
} // namespace pbc::loop
