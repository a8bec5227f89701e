// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The order algebra: composition, converse, and that its matrices are exactly the forests of loops.
#include "compiler/search/count.h"
#include <gtest/gtest.h>

namespace pbc::search {
namespace {

constexpr Order kAll[] = {Order::Before, Order::After, Order::Inside, Order::Outside, Order::Fused};

/// The table of section 2.3: rows order(a, b), columns order(b, c), both in the sequence B, A, I, O, F.
TEST(OrderAlgebra, ComposesAsTheTableSays) {
  const char *table[5][5] = {{"B", "I,O,F,B,A", "I,B", "B", "B"},
                             {"I,O,F,B,A", "A", "I,A", "A", "A"},
                             {"B", "A", "I", "I,O,F,B,A", "I"},
                             {"O,B", "O,A", "I,O,F", "O", "O"},
                             {"B", "A", "I", "O", "F"}};
  for (std::size_t a = 0; a < 5; ++a)
    for (std::size_t b = 0; b < 5; ++b)
      EXPECT_EQ(shortText(compose(kAll[a], kAll[b])), table[a][b]) << a << b;
}

TEST(OrderAlgebra, Allows43Triples) {
  int allowed = 0;
  for (const Order ab : kAll)
    for (const Order bc : kAll)
      for (const Order ac : kAll)
        allowed += isForest(ab, bc, ac) ? 1 : 0;
  EXPECT_EQ(allowed, 43);
}

TEST(OrderAlgebra, SeenFromTheOtherSideItIsTheSame) {
  for (unsigned x = 0; x < 32; ++x) {
    EXPECT_EQ(converse(converse(OrderSet::ofBits(x))), OrderSet::ofBits(x));
    for (unsigned y = 0; y < 32; ++y)
      EXPECT_EQ(converse(compose(OrderSet::ofBits(x), OrderSet::ofBits(y))),
                compose(converse(OrderSet::ofBits(y)), converse(OrderSet::ofBits(x))));
  }
}

TEST(OrderAlgebra, AlwaysAForestMeansThatNoChoiceBreaksIt) {
  for (unsigned ab = 1; ab < 32; ++ab)
    for (unsigned bc = 1; bc < 32; ++bc)
      for (unsigned ac = 1; ac < 32; ++ac) {
        bool every = true;
        for (const Order x : kAll)
          for (const Order y : kAll)
            for (const Order z : kAll)
              if (OrderSet::ofBits(ab).has(x) && OrderSet::ofBits(bc).has(y) && OrderSet::ofBits(ac).has(z))
                every = every && isForest(x, y, z);
        ASSERT_EQ(alwaysForest(OrderSet::ofBits(ab), OrderSet::ofBits(bc), OrderSet::ofBits(ac)), every);
      }
}

/// Sum over k of S(n, k) k! Catalan(k): 1, 5, 43, 545.
TEST(OrderAlgebra, MatricesAreForestsOfLoops) {
  const long expected[] = {1, 5, 43, 545};
  for (int n = 1; n <= 4; ++n) {
    Problem problem;
    int variable[4][4] = {};
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b)
        variable[a][b] = problem.addVariable({0, a, b, OrderSet::all().bits()});
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b)
        for (int c = b + 1; c < n; ++c)
          problem.addTriple({variable[a][b], variable[b][c], variable[a][c]});
    State state(problem);
    ASSERT_TRUE(state.propagate());
    long listed = 0;
    enumerate(state, [&](const State &) { return ++listed > 0; });
    EXPECT_EQ(listed, expected[n - 1]);
    EXPECT_EQ(long(countLeaves(state, {}).leaves), expected[n - 1]);
  }
}

} // namespace
} // namespace pbc::search
