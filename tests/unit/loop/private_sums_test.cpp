// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of points of a block that have a condition: without it where nobody looks at those of other points.
#include "compiler/loop/lower/lower.h"
#include "compiler/loop/print.h"
#include "tests/unit/loop/points.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;
const Expr kBelow = arithmetic(Op::LessEqual, {kPoint, limit("high1")});

NodePtr assign(const Expr &to, std::optional<Operation::Op> op, const Expr &value) {
  return make(Node{Assign{to, op, value}});
}
NodePtr under(const Expr &condition, NodePtr then) {
  return make(Node{If{condition, std::move(then), nullptr}});
}

struct Parts {
  Expr ofSum = kBelow, ofStore = kBelow;
  Expr cell = element(kMemory, {kPlace, subtract(kStep, kStrip)});
  Scalar type = Scalar::F64;
  Expr last = add(kStrip, integer(15));
};

/// if { s = 0 }  for c0 in strips { for k { if { s += cell } } }  if { A[item0] = s }
std::string sums(const Parts &p) {
  const Expr s = scalar("s", p.type);
  const NodePtr steps = make(Node{For{"k", kStrip, arithmetic(Op::LessEqual, {kStep, p.last}), nullptr,
                                      under(p.ofSum, assign(s, Operation::Op::Add, p.cell))}});
  const NodePtr strips = make(Node{For{"c0", integer(0), less(kStrip, limit("high1")), integer(16), steps}});
  const Nest nest{
      matrices(p.type),
      make(Node{Points{{{"item0", "place0", "first0", "last0", "begin0", "r0", limit("low0"), limit("high0"),
                         kernel::as::Item::Each::Block}},
                       block({make(Node{Array{"s", p.type, {}}}),
                              under(p.ofStore, assign(s, {}, make(Expression{Literal{"0", p.type}}))), strips,
                              under(p.ofStore, assign(element(kMatrix, {kPoint}), {}, s))})}})};
  return text(nest, lower(nest, {}).body);
}

long conditions(const std::string &text) {
  long number = 0;
  for (std::size_t at = text.find("if item0 <= high1"); at != std::string::npos;
       at = text.find("if item0 <= high1", at + 1))
    ++number;
  return number;
}

TEST(PrivateSums, OnlyTheStoreKeepsItsCondition) {
  const std::string made = sums({});
  EXPECT_EQ(conditions(made), 1) << made;
  EXPECT_THAT(made, testing::HasSubstr("s[r0] += M[place0, k - c0]"));
}

TEST(PrivateSums, ALoopOfUnknownLengthIsTheSameForAllPoints) {
  EXPECT_EQ(conditions(sums({.last = limit("high2")})), 1);
}

TEST(PrivateSums, ASumThatIsStoredUnderAnotherConditionKeepsItsOwn) {
  const Expr other = arithmetic(Op::Less, {kPoint, limit("high1")});
  EXPECT_EQ(conditions(sums({.ofStore = other})), 1) << "of the sum";
  // A condition on steps says nothing of points; what the sum begins with has none, as it is under the store's.
  EXPECT_EQ(conditions(sums({.ofSum = arithmetic(Op::LessEqual, {kStep, limit("high1")})})), 1);
}

TEST(PrivateSums, WhatLiesInTheMatrixIsReadUnderItsCondition) {
  EXPECT_EQ(conditions(sums({.cell = element(kMatrix, {kPoint})})), 2);
}

TEST(PrivateSums, WhatMayLieOutsideOfTheMemoryIsReadUnderItsCondition) {
  for (const Expr &cell : {element(kMemory, {add(kPlace, integer(1)), subtract(kStep, kStrip)}),
                           element(kMemory, {kPlace, subtract(kPoint, kStrip)})})
    EXPECT_EQ(conditions(sums({.cell = cell})), 2);
}

TEST(PrivateSums, SumsOfWholeNumbersKeepTheirConditions) {
  EXPECT_EQ(conditions(sums({.type = Scalar::I64})), 3);
}

} // namespace
} // namespace pbc::loop
