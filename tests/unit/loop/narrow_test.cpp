// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For which sizes indices have 32 bits: what the numbers of a tree are multiples of, and what cannot be bounded.
#include "compiler/loop/lower/lower.h"
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

NodePtr groups(const NodePtr &body) {
  return make({Parallel{Parallel::Over::Groups, 0, "group0", integer(0), nullptr, body}});
}
NodePtr number(const char *name, Expr value, Let::Within within = Let::Within::Nothing) {
  return make({Let{.variables = {{name, std::move(value)}}, .within = within}});
}

TEST(Narrow, AGroupsNumberTimesItsPointsIsAPoint) {
  const Expr points = grouped(subtract(multiply(ofMachine("PB_G0"), ofMachine("PB_C0")), index("past")));
  const auto tree = [&](Let::Within within) {
    return groups(block({number("past", subtract(limit("high0"), limit("low0")), within),
                         number("begin", add(limit("low1"), multiply(index("group0"), points))),
                         loopOver(limit("high1"), subtract(index("begin"), index("past")))}));
  };
  const long rounds = largestSizeIn32Bits(tree(Let::Within::Group));
  EXPECT_GT(rounds, 0x7fffffff / 4);
  EXPECT_LT(rounds, 0x7fffffff / 2) << "the end of the last group's points";
  EXPECT_LT(largestSizeIn32Bits(tree(Let::Within::Nothing)), rounds) << "rounds that are as many as a size";
  EXPECT_EQ(largestSizeIn32Bits(groups(loopOver(multiply(size("n"), index("group1")), index("c")))), 0)
      << "a size that is not known to be that of a group";
}

TEST(Narrow, ATilesNumberTimesItsPointsIsASize) {
  const auto tree = [](const char *of) {
    const Expr begin = add(limit("low0"), multiply(index("at0"), ofLaunch(of)));
    return make({Parallel{Parallel::Over::Groups, 0, "at0", ofLaunch("first0"), nullptr,
                          block({number("begin0", begin), loopOver(limit("high1"), index("begin0"))})}});
  };
  const long ofTiles = largestSizeIn32Bits(tree("tile0"));
  EXPECT_GT(ofTiles, 0x7fffffff / 3);
  EXPECT_LT(ofTiles, 0x7fffffff / 2) << "the begin of the points, and that of the tile behind it";
  EXPECT_EQ(largestSizeIn32Bits(tree("diagonal")), 0) << "a product of two numbers of the launch";
}

TEST(Narrow, PlacesOfAGroupsMemoryFit) {
  const Expr wide = multiply(ofMachine("PB_G0"), ofMachine("PB_C0"));
  const Expr place = add(multiply(grouped(index("y")), grouped(wide)), index("x"));
  const auto tree = [&](Array::Space space) {
    const Expr target = make(Expression{Local{"kept", Scalar::F64, {place}}});
    const Expr cells = multiply(multiply(integer(2), grouped(wide)), grouped(wide));
    return block({make({Array{"kept", Scalar::F64, {cells}, false, space}}), number("x", wide),
                  number("y", wide), make({Assign{target, {}, make({Literal{"1.0", Scalar::F64}})}})});
  };
  EXPECT_GT(largestSizeIn32Bits(tree(Array::Space::Group)), 2'000'000'000);
  EXPECT_EQ(largestSizeIn32Bits(tree(Array::Space::Own)), 0) << "two numbers of up to 2^18 are multiplied";
}

TEST(Narrow, WhatChangesInALoopHasNoBound) {
  const NodePtr first = make({Let{.variables = {{"x", size("n")}}, .isConstant = false}});
  const NodePtr more = make({Assign{index("x"), {}, add(index("x"), integer(1))}});
  EXPECT_GT(largestSizeIn32Bits(block({first, more, loopOver(index("x"), index("c"))})), 1'000'000'000);
  const NodePtr often = make({For{"c", integer(0), less(index("c"), size("n")), nullptr, more}});
  EXPECT_EQ(largestSizeIn32Bits(block({first, often})), 0);
}

TEST(Narrow, StepsThatGrowAreBoundedByTheEnd) {
  const auto tree = [](const Expr &step) {
    return make({For{"c", integer(1), less(index("c"), size("n")), step, loopOver(index("c"), index("c"))}});
  };
  const long doubling = largestSizeIn32Bits(tree(index("c")));
  EXPECT_GT(doubling, 1'000'000'000);
  EXPECT_LT(doubling, 0x7fffffff / 2) << "the iterator goes to less than twice the size";
}

TEST(Narrow, PartsOfALoopAreNoLongerThanIt) {
  const Expr length = arithmetic(Arithmetic::Op::Divide, {size("n"), ofLaunch("parts")});
  const Expr part = arithmetic(Arithmetic::Op::Modulo, {index("group0"), ofLaunch("here")});
  const auto tree = [&](const Expr &times) {
    return groups(block({number("part", part), number("length", length),
                         loopOver(multiply(times, grouped(index("length"))), index("c"))}));
  };
  EXPECT_GT(largestSizeIn32Bits(tree(index("part"))), 1'000'000'000);
  EXPECT_EQ(largestSizeIn32Bits(tree(size("m"))), 0);
  const Expr team = index("team");
  const Expr rounded = multiply(arithmetic(Arithmetic::Op::Divide, {size("n"), team}), team);
  EXPECT_GT(largestSizeIn32Bits(block({number("team", ofMachine("PB_G0")), loopOver(rounded, index("c"))})),
            1'000'000'000);
}

/// cells item0 { s = 0; for k < end [team] { s += A[k, item0] }; B[item0] = s }, or a scan B[k, item0] = B[k - 1, item0] + A[k, item0]
long ofTeams(const Expr &end, bool isScan, bool areNeighbours) {
  const auto at = [](int buffer, std::vector<Expr> indices, int access) {
    return make(Expression{Element{buffer, std::move(indices), access}});
  };
  const auto sum = [](Expr l, Expr r) {
    return make(Expression{Operation{Operation::Op::Add, Scalar::F64, {std::move(l), std::move(r)}}});
  };
  const Expr k = index("k"), item = index("item0"), s = make(Expression{Local{"s", Scalar::F64, {}}});
  const Expr to = isScan ? at(1, {k, item}, 0) : s;
  const Expr before = isScan ? at(1, {subtract(k, integer(1)), item}, 1) : s;
  const NodePtr step = make({Assign{to, {}, sum(before, at(0, {k, item}, 2)), 0}});
  NodePtr body = make({For{"k", integer(1), less(k, end), integer(1), step, kernel::as::Team{}}});
  if (!isScan)
    body = block({make({Array{"s", Scalar::F64, {}}}),
                  make({Assign{s, {}, make({Literal{"0.0", Scalar::F64}})}}), body,
                  make({Assign{at(1, {item}, 3), {}, s, 1}})});
  Nest nest{{{"A", Scalar::F64, 2, true}, {"B", Scalar::F64, isScan ? 2 : 1}},
            make({Cells{{{"item0", limit("low0"), limit("high0")}}, areNeighbours, body}})};
  const Combination with{Combination::Op::Add, Scalar::F64};
  nest.teams.emplace();
  if (isScan)
    nest.teams->scan = Teams::Scan{0, {1}, with};
  else
    nest.teams->loops = {{{0}, {{"s", with}}}};
  Target target;
  target.isDevice = true;
  const Lowered made = lower(nest, target);
  EXPECT_EQ(made.sharedOut.loops, 1);
  EXPECT_EQ(made.sharedOut.values, 1) << "the cells are computed in parts";
  return largestSizeIn32Bits(made.body);
}

TEST(Narrow, TeamsShareLoops) {
  for (const bool areNeighbours : {false, true}) {
    EXPECT_GT(ofTeams(size("n"), false, areNeighbours), 400'000'000);
    EXPECT_GT(ofTeams(size("n"), true, areNeighbours), 200'000'000);
    EXPECT_LT(ofTeams(size("n"), true, areNeighbours), 0x7fffffff / 2) << "the end of the last part";
    EXPECT_EQ(ofTeams(multiply(size("n"), size("m")), false, areNeighbours), 0);
  }
  const long twice = ofTeams(multiply(integer(2), size("n")), false, false);
  EXPECT_LT(twice, 0x7fffffff / 2);
  EXPECT_GT(twice, 400'000'000);
}

} // namespace
} // namespace pbc::loop
