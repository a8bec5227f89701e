// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Orders of chains of matrices: the worked example of cost-models.md 7.4 in both modes, which pairs may be
// fused, and the experiment of Table D.1.
#include "compiler/model/movement/chain_experiment.h"
#include "compiler/model/movement/chain_nodes.h"
#include "compiler/model/movement/chain_text.h"
#include "compiler/model/movement/closed_forms.h"
#include "compiler/model/problem.h"
#include "runtime/abi/matrix_chain.h"
#include "vectors.h"

#include <gmock/gmock.h>
#include <map>
#include <random>
#include <set>

namespace pbc::model {
namespace {

using pb::Fused;
using Sizes = std::vector<long>;

const std::vector<long> kExample{936, 1008, 552, 368, 1016, 616, 544};
constexpr double kMemory = 65536;

template <class Plan>
auto rootTotal(const Plan &plan) {
  return plan.at(0, plan.count() - 1).total;
}

TEST(Chain, TheFewestOperations) {
  const pb::ChainTree textbook = pb::fewestOperations(Sizes{30, 35, 15, 5, 10, 20, 25});
  EXPECT_EQ(textbook.operations, 15125); // Cormen, Leiserson, Rivest, Stein
  const auto plan = [&](const pb::ChainTree &tree, const std::vector<long> &sizes) {
    return chainText(pb::leastCost(tree, sizes, ClosedCosts{1}, false));
  };
  EXPECT_EQ(plan(textbook, {30, 35, 15, 5, 10, 20, 25}), "((A1(A2A3))((A4A5)A6))");
  const pb::ChainTree tree = pb::fewestOperations(kExample);
  EXPECT_EQ(tree.operations, 1092977664);
  EXPECT_EQ(plan(tree, kExample), "((A1(A2A3))((A4A5)A6))");
  EXPECT_EQ(pb::fewestOperations(Sizes{7, 9}).operations, 0);
  EXPECT_EQ(plan(pb::leftToRight(kExample), kExample), "(((((A1A2)A3)A4)A5)A6)");
  EXPECT_EQ(pb::leftToRight(Sizes{30, 35, 15, 5}).operations, 30 * 35 * 15 + 30 * 15 * 5);
}

/// F of the source: the total without writing the node.
double printedF(const ChainNodeCosts<double> &node, double total) {
  return total - static_cast<double>(kExample[static_cast<size_t>(node.first)] *
                                     kExample[static_cast<size_t>(node.last) + 1]);
}

TEST(Chain, TheWorkedExampleInBothModes) {
  const pb::ChainTree tree = pb::fewestOperations(kExample);
  EXPECT_NEAR(rootTotal(pb::leastCost(tree, kExample, ClosedCosts{kMemory}, false)), 10190344, 0.5);

  const ClosedCosts printed{kMemory, Mode::Printed};
  EXPECT_NEAR(rootTotal(pb::leastCost(tree, kExample, printed, true)), 8392058, 1);
  auto nodes = ChainNodes<ClosedCosts>(tree, kExample, printed).rows();
  ASSERT_EQ(nodes.size(), 5U); // A2 A3, A1 T1, A4 A5, T3 A6, T2 T4
  EXPECT_NEAR(printedF(nodes[0], nodes[0].total), 1599696, 0.5);
  EXPECT_EQ(nodes[1].fused, Fused::Right);
  EXPECT_NEAR(printedF(nodes[1], nodes[1].total), 3066202.218646218, 0.01);
  EXPECT_NEAR(printedF(nodes[2], nodes[2].total), 1799336, 0.5);
  EXPECT_EQ(nodes[3].fused, Fused::Left);
  EXPECT_NEAR(printedF(nodes[3], nodes[3].total), 2808128.444707048, 0.01);
  EXPECT_EQ(nodes[4].fused, Fused::Nothing);
  EXPECT_NEAR(printedF(nodes[4], nodes[4].alone), 7882874.663, 0.01);
  EXPECT_NEAR(printedF(nodes[4], *nodes[4].left), 8814094.25, 0.01);
  EXPECT_NEAR(printedF(nodes[4], *nodes[4].right), 8892681.91, 0.01);

  const ClosedCosts corrected{kMemory};
  EXPECT_NEAR(rootTotal(pb::leastCost(tree, kExample, corrected, true)), 9323278.248678278, 0.01);
  nodes = ChainNodes<ClosedCosts>(tree, kExample, corrected).rows();
  EXPECT_EQ(nodes[1].fused, Fused::Nothing);
  EXPECT_NEAR(printedF(nodes[1], nodes[1].total), 4683168, 0.5);
  EXPECT_EQ(nodes[4].fused, Fused::Left);
  EXPECT_NEAR(printedF(nodes[4], nodes[4].alone), 9499840.44, 0.01);
  EXPECT_NEAR(printedF(nodes[4], *nodes[4].left), 8814094.25, 0.01);
  EXPECT_NEAR(printedF(nodes[4], *nodes[4].right), 9108592.09, 0.01);
  EXPECT_EQ(chainText(pb::leastCost(tree, kExample, corrected, true)), "([A1(A2A3)]([A4A5]A6))");
}

TEST(Chain, TheBestOfAllTrees) {
  EXPECT_NEAR(rootTotal(pb::leastCost(kExample, ClosedCosts{kMemory}, true)), 9323278.248678278, 0.01);
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<long> sizes;
    for (int i = 0; i < 7; ++i)
      sizes.push_back(1 + static_cast<long>(random() % 900));
    const pb::MovementCosts costs{{20000}};
    const auto fixed = rootTotal(pb::leastCost(pb::fewestOperations(sizes), sizes, costs, true));
    const auto free = rootTotal(pb::leastCost(sizes, costs, true));
    EXPECT_FALSE(fixed < free);
  }
}

TEST(Chain, ExactCountsOfTheExample) {
  const pb::ChainTree tree = pb::fewestOperations(kExample);
  const auto totals = [&](long words) {
    const pb::MovementCosts costs{{words}};
    return std::pair(rootTotal(pb::leastCost(tree, kExample, costs, false)).count,
                     rootTotal(pb::leastCost(tree, kExample, costs, true)).count);
  };
  EXPECT_EQ(totals(65536), std::pair(10986240L, 10242944L));
  EXPECT_EQ(totals(16384), std::pair(19608896L, 19608896L));
}

/// Costs that make a fused pair of given nodes free and everything else expensive, to see which pairs may be
/// combined.
struct Tempting {
  using Cost = double;
  std::set<std::pair<char, std::vector<long>>> cheap;
  double product(long, long, long) const { return 10; }
  double left(long a, long b, long c, long d) const { return cheap.contains({'l', {a, b, c, d}}) ? 0 : 1000; }
  double right(long a, long b, long c, long d) const {
    return cheap.contains({'r', {a, b, c, d}}) ? 0 : 1000;
  }
};

TEST(Chain, FusedPairsAreAMatchingOnTheTree) {
  // Eight matrices in the full tree of seven nodes; its edges in the source's numbers: 1, 2 below the left
  // child, 3, 4 below the right one, 5, 6 at the root. Sizes name places: P_i = i + 1.
  const std::vector<long> sizes{1, 2, 3, 4, 5, 6, 7, 8, 9};
  pb::ChainTree tree{pb::Pairs<int>(8), 0};
  for (const auto &[i, j, k] :
       {std::array{0, 7, 3}, {0, 3, 1}, {4, 7, 5}, {0, 1, 0}, {2, 3, 2}, {4, 5, 4}, {6, 7, 6}})
    tree.split.at(i, j) = k;
  const std::map<int, std::pair<char, std::vector<long>>> edges{
      {1, {'l', {1, 2, 3, 5}}}, {2, {'r', {1, 3, 4, 5}}}, {3, {'l', {5, 6, 7, 9}}},
      {4, {'r', {5, 7, 8, 9}}}, {5, {'l', {1, 3, 5, 9}}}, {6, {'r', {1, 5, 7, 9}}}};
  const std::set<std::set<int>> legal{{1, 3}, {1, 4}, {1, 6}, {2, 3}, {2, 4}, {2, 6}, {3, 5}, {4, 5}};
  for (int a = 1; a <= 6; ++a)
    for (int b = a + 1; b <= 6; ++b) {
      const Tempting costs{{edges.at(a), edges.at(b)}};
      const double total = rootTotal(pb::leastCost(tree, sizes, costs, true));
      // Seven products at 10; each fused pair replaces two of them.
      EXPECT_EQ(total, legal.contains({a, b}) ? 30 : 50) << a << " and " << b;
    }
}

TEST(Chain, StepsMakeTheirOperandsFirst) {
  const pb::ChainTree tree = pb::fewestOperations(kExample);
  const auto plan = pb::leastCost(tree, kExample, pb::MovementCosts{{65536}}, true);
  const auto steps = pb::chainSteps(plan);
  ASSERT_EQ(steps.size(), 3); // A2 A3; [A4 A5] A6; [A1 T1] T2
  const int n = 6;
  for (int s = 0; s < steps.size(); ++s) {
    int next = steps[s].first;
    for (int operand = 0; operand < (steps[s].fused == Fused::Nothing ? 2 : 3); ++operand) {
      const int o = steps[s].operands[operand];
      ASSERT_LT(o, n + s);
      EXPECT_EQ(o < n ? o : steps[o - n].first, next); // side by side
      next = (o < n ? o : steps[o - n].last) + 1;
    }
    EXPECT_EQ(next, steps[s].last + 1);
  }
  EXPECT_EQ(steps.back().first, 0);
  EXPECT_EQ(steps.back().last, n - 1);
  EXPECT_EQ(steps.back().fused, Fused::Left);
  EXPECT_TRUE(pb::chainSteps(
                  pb::leastCost(pb::fewestOperations(Sizes{3, 4}), Sizes{3, 4}, pb::MovementCosts{{9}}, true))
                  .empty());
}

TEST(Chain, CountsThatDoNotFitStayAtTheMost) {
  const long huge = 2147483647;
  const std::vector<long> sizes{huge, 1, huge, 1, huge};
  const pb::ChainTree tree = pb::fewestOperations(sizes);
  EXPECT_LT(tree.operations, pb::kTooMany); // A1 (A2 ... A4) avoids the cube
  EXPECT_EQ(pb::fewestOperations(Sizes{huge, huge, huge, huge}).operations, pb::kTooMany);
}

TEST(Chain, TheExperimentOfTableD1) {
  const auto mean = [](long memory, Mode mode) {
    return chainExperiment({.memory = memory, .mode = mode, .withExact = false});
  };
  // Published: 9.44 and 13.27; the specification's draw: 9.42 and 13.30, corrected 7.27 and 11.83.
  EXPECT_NEAR(mean(65536, Mode::Printed).mean, 9.42, 0.1);
  EXPECT_NEAR(mean(98304, Mode::Printed).mean, 13.30, 0.1);
  const ChainExperiment run = mean(65536, Mode::Corrected);
  EXPECT_EQ(run.chains, 19000);
  EXPECT_NEAR(run.mean, 7.27, 0.1);
  EXPECT_NEAR(chainExperiment({.memory = 65536, .chains = 100}).exactMean, 5.6, 0.3);
  EXPECT_EQ(run.rows[0].closed.most, 0); // two matrices: nothing to fuse
  EXPECT_NEAR(run.rows[1].closed.mean, 8.6, 0.5);
  EXPECT_NEAR(run.rows[18].closed.mean, 6.8, 0.5);
  EXPECT_NEAR(mean(98304, Mode::Corrected).mean, 11.83, 0.1);
  EXPECT_NEAR(mean(16384, Mode::Corrected).mean, 0.23, 0.05);
  EXPECT_NEAR(mean(116224, Mode::Corrected).mean, 13.96, 0.15);
  EXPECT_THROW(chainExperiment({.memory = 1L << 30}), Problem);
}

TEST(Chain, RowsOfThePublishedTable) {
  const ChainExperiment run = chainExperiment({.memory = 65536, .mode = Mode::Printed, .withExact = false});
  const double published[] = {0,    6.58, 7.67, 8.31,  8.81,  8.97,  9.57,  9.49,  9.55, 9.86,
                              9.90, 9.87, 9.80, 10.14, 10.26, 10.15, 10.29, 10.20, 10.53};
  for (size_t row = 0; row < run.rows.size(); ++row)
    EXPECT_NEAR(run.rows[row].closed.mean, published[row], 0.5) << run.rows[row].matrices;
}

} // namespace
} // namespace pbc::model
