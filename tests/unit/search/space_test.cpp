// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The worked example of lower-bound-search.md, section 3: what propagation leaves, and how many implementations there are.
#include "compiler/search/count.h"
#include "compiler/search/space.h"
#include "tests/unit/search/examples.h"
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace pbc::search {
namespace {

struct Example {
  explicit Example(bool unrollsInnermostOnly = true)
      : facts(scaledVector()), space([&] {
          Structure s = facts.structure;
          s.limits.unrollsInnermostOnly = unrollsInnermostOnly;
          return s;
        }()),
        state(space.problem()) {
    EXPECT_TRUE(state.propagate());
  }
  std::string order(int a, int b) const { return shortText(space.order(state, a, b)); }
  bool decide(int a, int b, Order order) {
    const Literal literal = space.isOrder(a, b, order);
    return state.keepOnly(literal.variable, literal.values) && state.propagate();
  }
  ScaledVector facts;
  Space space;
  State state;
};

/// Table 4 of the paper: the entry is the row relative to the column.
TEST(ScaledVectorSpace, PropagationGivesTable4) {
  Example e;
  const char *rows[] = {"/ I,O I,O I,O I,O O O O O O",
                        "I,O / I,O I,O I,O O,A O O O O",
                        "I,O I,O / F,B F,B O,A O,A O O,B O,B",
                        "I,O I,O F,A / F,B O,A O,A O,A O O,B",
                        "I,O I,O F,A F,A / O,A O,A O,A O,A O",
                        "I I,B I,B I,B I,B / B B B B",
                        "I I I,B I,B I,B A / B B B",
                        "I I I I,B I,B A A / B B",
                        "I I I,A I I,B A A A / B",
                        "I I I,A I,A I A A A A /"};
  for (int row = 0; row < 10; ++row) {
    std::istringstream line(rows[row]);
    std::string cell;
    for (int column = 0; line >> cell; ++column)
      if (row != column)
        EXPECT_EQ(e.order(row, column), cell) << row << " " << column;
  }
}

TEST(ScaledVectorSpace, DecisionsHaveTheConsequencesOfSection3) {
  {
    Example e;
    ASSERT_TRUE(e.decide(e.facts.d2, e.facts.d0, Order::Outside));
    EXPECT_EQ(e.order(e.facts.d2, e.facts.d3), "F");
    EXPECT_EQ(e.order(e.facts.d3, e.facts.d4), "F");
    EXPECT_EQ(e.order(e.facts.d3, e.facts.d0), "O");
    EXPECT_EQ(e.order(e.facts.i0, e.facts.d2), "I");
    EXPECT_EQ(e.order(e.facts.d0, e.facts.d1), "I,O");
    EXPECT_EQ(e.order(e.facts.d1, e.facts.d2), "I,O");
  }
  {
    Example e;
    ASSERT_TRUE(e.decide(e.facts.d2, e.facts.d3, Order::Before));
    EXPECT_EQ(e.order(e.facts.d0, e.facts.d2), "O");
    EXPECT_EQ(e.order(e.facts.d1, e.facts.d2), "O");
    EXPECT_EQ(e.order(e.facts.d2, e.facts.d4), "B");
    EXPECT_EQ(e.order(e.facts.i2, e.facts.d3), "B");
    EXPECT_EQ(e.order(e.facts.d0, e.facts.d1), "I,O");
  }
  {
    Example e;
    ASSERT_TRUE(e.decide(e.facts.d2, e.facts.d4, Order::Fused));
    EXPECT_EQ(e.order(e.facts.d2, e.facts.d3), "F");
    EXPECT_EQ(e.order(e.facts.d3, e.facts.d4), "F");
  }
}

TEST(ScaledVectorSpace, Has39OrdersAndAsManyCandidatesAsTheSpecificationSays) {
  Example strict;
  std::set<std::vector<unsigned>> orders;
  long listed = 0;
  enumerate(strict.state, [&](const State &leaf) {
    std::vector<unsigned> matrix;
    for (int a = 0; a < 10; ++a)
      for (int b = a + 1; b < 10; ++b)
        matrix.push_back(strict.space.order(leaf, a, b).bits());
    orders.insert(std::move(matrix));
    return ++listed > 0;
  });
  EXPECT_EQ(orders.size(), 39u);
  EXPECT_EQ(listed, 51'252);
  const Count counted = countLeaves(strict.state, {});
  EXPECT_TRUE(counted.isExact);
  EXPECT_EQ(long(counted.leaves), 51'252);
  EXPECT_LT(counted.states, 10'000);
  Example loose(false);
  EXPECT_EQ(long(countLeaves(loose.state, {}).leaves), 68'052);
}

TEST(SgemmSpace, IsCountedAsItIsEnumerated) {
  Space space(sgemm(1024, 1, 1));
  State root(space.problem());
  ASSERT_TRUE(root.propagate());
  long listed = 0;
  enumerate(root, [&](const State &) { return ++listed > 0; });
  const Count counted = countLeaves(root, {});
  EXPECT_TRUE(counted.isExact);
  EXPECT_EQ(long(counted.leaves), listed);
  EXPECT_LT(counted.states, 1000);
}

TEST(SgemmSpace, TooLargeToBeCountedIsEstimated) {
  Space space(sgemm(1024, 16, 4));
  State root(space.problem());
  ASSERT_TRUE(root.propagate());
  const std::vector<Domain> before = root.domains();
  const Count counted = countLeaves(root, {.mostStates = 100, .descents = 20});
  EXPECT_FALSE(counted.isExact);
  EXPECT_GT(counted.leaves, 2.7e9L);
  EXPECT_EQ(root.domains(), before);
}

} // namespace
} // namespace pbc::search
