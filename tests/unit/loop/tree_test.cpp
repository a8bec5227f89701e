// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/build.h"
#include "compiler/loop/convert.h"
#include "compiler/loop/operators.h"
#include "compiler/loop/print.h"
#include "compiler/loop/walk.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/support.h"
#include <gtest/gtest.h>
#include <isl/ast_build.h>

namespace pbc::loop {
namespace {

Expr converted(const char *function) {
  poly::Context ctx;
  const isl::pw_aff f(isl::ctx(ctx.get()), function);
  const isl::ast_build build =
      isl::ast_build::from_context(isl::manage(isl_set_params(f.domain().release())));
  return expression(build.expr_from(f));
}

TEST(LoopTree, IslsExpressions) {
  const Nest none;
  EXPECT_EQ(text(none, converted("[n, pb__c0] -> { [n - pb__c0 - 1] }")), "n - c0 - 1");
  EXPECT_EQ(text(none, converted("[pb__c0] -> { [floor(pb__c0 / 2)] }")), "floor_div(c0, 2)");
  EXPECT_EQ(text(none, converted("[n, pb__low0] -> { [0] : n <= pb__low0; [n] : n > pb__low0 }")),
            "low0 >= n ? 0 : n");
}

TEST(LoopTree, LoopsOfABody) {
  kernel::Lifted l(kernel::programs::kMatrixProduct);
  const kernel::Scheduled kernel = l.kernel();
  EXPECT_EQ(text(build(kernel, generate(kernel))), R"(for c0 = 0; c0 < h
  for c1 = 0; c1 < w
    array double R0_s
    R0_s = 0.0
    for c2 = 0; c2 < c
      R0_s += A[c2, c0] * B[c1, c2]
    AB[c1, c0] = R0_s
)");
}

TEST(LoopTree, DependenceOnALoop) {
  const Expr bound = minimum(add(index("c1"), integer(1)), make(Expression{Name{Name::Kind::Value, "c0"}}));
  EXPECT_TRUE(mentions(bound, "c1"));
  EXPECT_FALSE(mentions(bound, "c0")); // a size of the program that is called so
  EXPECT_FALSE(mentions(bound, "c"));
  const NodePtr branch = make(Node{If{less(index("c10"), integer(3)), block({}), nullptr}});
  EXPECT_TRUE(branchesOn(branch, "c10"));
  EXPECT_FALSE(branchesOn(branch, "c1"));
}

TEST(LoopTree, ReplacementsAreGrouped) {
  const Nest none;
  const Expr next = replaced(subtract(index("c0"), integer(1)), {{"c0", add(index("c0"), integer(1))}});
  EXPECT_EQ(text(none, next), "(c0 + 1) - 1");
  EXPECT_EQ(text(none, replaced(next, {{"c0", index("pb__y")}})), "(pb__y + 1) - 1");
}

TEST(LoopTree, WhatDoesNotChangeIsShared) {
  const NodePtr body = make(Node{Assign{index("a"), {}, index("b")}});
  const NodePtr loop = make(Node{For{"c0", integer(0), less(index("c0"), integer(4)), integer(1), body}});
  EXPECT_EQ(replaced(loop, {{"z", integer(0)}}), loop);
  EXPECT_EQ(loop::as<For>(replaced(loop, {{"c0", integer(0)}}))->body, body);
}

TEST(LoopTree, Operators) {
  EXPECT_EQ(operation("-", 1), Operation::Op::Negate);
  EXPECT_EQ(operation("-", 2), Operation::Op::Subtract);
  EXPECT_EQ(spelling(Operation::Op::ShiftLeft), "<<");
  EXPECT_THROW(operation("->*", 2), std::logic_error);
}

} // namespace
} // namespace pbc::loop
