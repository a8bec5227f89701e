// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conditions on the corners of boxes, compared with all of the boxes' points.
#include "compiler/loop/box_conditions.h"
#include "compiler/loop/group_conditions.h"
#include "compiler/loop/print.h"
#include "compiler/loop/walk.h"
#include <gmock/gmock.h>
#include <random>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

Expr compare(Op op, Expr l, Expr r) { return arithmetic(op, {std::move(l), std::move(r)}); }

/// The value at these values of names; all that occurs in these tests.
long valueOf(const Expr &e, const std::map<std::string, long> &at) {
  if (const Integer *i = as<Integer>(e))
    return i->value;
  if (const Name *n = as<Name>(e))
    return at.at(n->name);
  if (const Grouped *g = as<Grouped>(e))
    return valueOf(g->operand, at);
  const Arithmetic &a = *as<Arithmetic>(e);
  const long l = valueOf(a.operands[0], at), r = a.operands.size() > 1 ? valueOf(a.operands[1], at) : 0;
  switch (a.op) {
  case Op::Add:
    return l + r;
  case Op::Subtract:
    return l - r;
  case Op::Multiply:
    return l * r;
  case Op::Negate:
    return -l;
  case Op::And:
    return l && r;
  case Op::Or:
    return l || r;
  case Op::Equal:
    return l == r;
  case Op::Less:
    return l < r;
  case Op::LessEqual:
    return l <= r;
  case Op::Greater:
    return l > r;
  case Op::GreaterEqual:
    return l >= r;
  default:
    ADD_FAILURE();
    return 0;
  }
}

const Corners kBox = {{"x", {index("x0"), index("x1")}}, {"y", {index("y0"), index("y1")}}};

TEST(BoxConditions, OfOneComparisonTheyAreExact) {
  std::mt19937 random(1);
  const auto number = [&](int most) { return static_cast<long>(random() % (2 * most + 1)) - most; };
  int held = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const auto side = [&] {
      return add(subtract(multiply(integer(number(3)), index("x")),
                          grouped(multiply(index("y"), integer(number(3))))),
                 integer(number(9)));
    };
    const Op op = std::array{Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual, Op::Equal}[random() % 5];
    const Expr condition = compare(op, side(), side());
    const bool truth = random() % 2;
    const Expr onCorners = holdsInBox(condition, truth, kBox);
    ASSERT_TRUE(onCorners);
    std::map<std::string, long> at{{"x0", number(5)}, {"y0", number(5)}};
    at["x1"] = at["x0"] + static_cast<long>(random() % 4),
    at["y1"] = at["y0"] + static_cast<long>(random() % 4);
    bool all = true, differs = false;
    long first = 0;
    for (at["x"] = at["x0"]; at["x"] <= at["x1"]; ++at["x"])
      for (at["y"] = at["y0"]; at["y"] <= at["y1"]; ++at["y"]) {
        all &= valueOf(condition, at) == truth;
        const long d = valueOf(as<Arithmetic>(condition)->operands[0], at) -
                       valueOf(as<Arithmetic>(condition)->operands[1], at);
        differs |= first * d < 0;
        first = first ? first : d;
      }
    // That two sides are equal nowhere although they cross is not seen.
    const bool isSeen = op != Op::Equal || truth || !differs;
    EXPECT_TRUE(isSeen ? (valueOf(onCorners, at) != 0) == all : !valueOf(onCorners, at) || all)
        << text(Nest{}, condition);
    held += all;
  }
  EXPECT_GT(held, 200);
}

TEST(BoxConditions, OfSeveralTheyAreOnTheSafeSide) {
  const Expr low = compare(Op::GreaterEqual, index("x"), integer(1)),
             high = compare(Op::Less, index("x"), index("n"));
  EXPECT_EQ(text(Nest{}, holdsInBox(arithmetic(Op::And, {low, high}), true, kBox)), "(x0 >= 1) and (x1 < n)");
  EXPECT_EQ(text(Nest{}, holdsInBox(arithmetic(Op::And, {low, high}), false, kBox)), "(x1 < 1) or (x0 >= n)");
  EXPECT_EQ(text(Nest{}, holdsInBox(arithmetic(Op::Or, {low, high}), true, kBox)), "(x0 >= 1) or (x1 < n)");
  const Expr square = compare(Op::Less, multiply(index("x"), index("x")), index("n"));
  EXPECT_FALSE(holdsInBox(square, true, kBox)) << "it is not linear";
  EXPECT_FALSE(holdsInBox(arithmetic(Op::And, {low, square}), true, kBox));
  EXPECT_EQ(text(Nest{}, holdsInBox(arithmetic(Op::And, {low, square}), false, kBox)), "x1 < 1");
}

const std::vector<GroupAxis> kGroup = {{"x", "x0", "x1"}, {"y", "y0", "y1"}};

TEST(GroupConditions, HaveTheirValueWithoutTheItemToo) {
  std::mt19937 random(1);
  const auto number = [&](int most) { return static_cast<long>(random() % (2 * most + 1)) - most; };
  const std::vector<std::string> names{"x", "x0", "x1", "y", "y0", "y1"};
  const auto value = [&] {
    return random() % 4 ? index(names[random() % names.size()]) : integer(number(2));
  };
  int changed = 0, without = 0;
  for (int trial = 0; trial < 400; ++trial) {
    Expr condition;
    for (int part = 0; part < 5; ++part) {
      const Op op = random() % 8 ? Op::Equal : Op::LessEqual, join = random() % 8 ? Op::And : Op::Or;
      const Expr one = compare(op, value(), value());
      condition = condition ? arithmetic(join, {condition, one}) : one;
    }
    const Expr made = withoutImpliedItems(condition, kGroup);
    changed += made != condition;
    without += mentions(condition, "x") && !mentions(made, "x");
    std::map<std::string, long> at;
    for (at["x0"] = -2; at["x0"] <= 2; ++at["x0"])
      for (at["y0"] = -2; at["y0"] <= 2; ++at["y0"])
        for (const long more : {0, 0, 1, 2}) {
          at["x1"] = at["x0"] + more, at["y1"] = at["y0"] + 2 - more;
          for (at["x"] = at["x0"]; at["x"] <= at["x1"]; ++at["x"])
            for (at["y"] = at["y0"]; at["y"] <= at["y1"]; ++at["y"])
              ASSERT_EQ(valueOf(made, at) != 0, valueOf(condition, at) != 0)
                  << text(Nest{}, condition) << " became " << text(Nest{}, made);
        }
  }
  EXPECT_GT(changed, 20);
  EXPECT_GT(without, 10);
}

TEST(GroupConditions, SayNothingOfAnItemThatIsTheOnlyOne) {
  const auto equal = [](const Expr &l, const Expr &r) { return compare(Op::Equal, l, r); };
  const auto both = [](const Expr &l, const Expr &r) { return arithmetic(Op::And, {l, r}); };
  const Expr zero = integer(0), x = index("x"), first = index("x0"), last = index("x1");
  const auto made = [](const Expr &e) { return text(Nest{}, withoutImpliedItems(e, kGroup)); };
  EXPECT_EQ(made(both(both(equal(x, zero), equal(last, zero)), equal(first, zero))), "x1 = 0 and x0 = 0");
  const Expr one = both(equal(last, x), equal(first, x));
  EXPECT_EQ(made(both(one, equal(index("n"), add(x, integer(1))))), "x1 = x0 and n = x0 + 1");
  EXPECT_EQ(made(arithmetic(Op::Choose, {one, subtract(x, integer(15)), x})), "x1 = x0 ? x0 - 15 : x");
  EXPECT_EQ(made(both(equal(x, zero), equal(last, zero))), "x = 0 and x1 = 0") << "others may be before it";
}

TEST(GroupConditions, CopiesStandOutsideOfBranchesOfItems) {
  const auto atLeast = [](const char *name, long least) {
    return compare(Op::GreaterEqual, index(name), integer(least));
  };
  const auto fill = [&](const Expr &condition) {
    return make({If{condition, make({GroupCopy{.from = 0, .to = 1}}), nullptr}});
  };
  const NodePtr one = make({Comment{"one"}}), other = make({Comment{"other"}});
  const auto made = [&](const Expr &condition) {
    return withCopiesApart(If{atLeast("x", 1), block({one, fill(condition), other}), other}, kGroup);
  };
  const NodePtr apart = made(arithmetic(Op::And, {atLeast("x0", 32), atLeast("n", 0)}));
  const Block *all = as<Block>(apart);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->nodes.size(), 3U);
  EXPECT_EQ(as<If>(all->nodes[0])->then, one);
  EXPECT_EQ(as<If>(all->nodes[0])->otherwise, other) << "which runs once";
  EXPECT_TRUE(as<GroupCopy>(as<If>(all->nodes[1])->then));
  EXPECT_EQ(as<If>(all->nodes[2])->then, other);
  EXPECT_FALSE(as<If>(all->nodes[2])->otherwise);
  for (const Expr &condition : {atLeast("x0", 0), atLeast("x1", 1), atLeast("n", 1)})
    EXPECT_TRUE(as<If>(made(condition)))
        << "some items may not take the branch where " << text(Nest{}, condition);
}

} // namespace
} // namespace pbc::loop
