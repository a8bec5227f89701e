// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random small structures: what propagation and decisions reach is what the rules allow, no more and no less, and does not
// depend on the order of the decisions (lower-bound-search.md, section 10, tests 3 and 4).
#include "compiler/search/count.h"
#include "compiler/search/space.h"
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace pbc::search {
namespace {

using Random = std::mt19937_64;
using Leaf = std::vector<Domain>;

bool chance(Random &random, int percent) { return int(random() % 100) < percent; }

/// Two or three dimensions and one or two instructions, some of them with data between, and limits that matter.
Structure randomStructure(Random &random) {
  Structure s;
  s.addSize({"A", {2, 4}});
  s.addSize({"B", chance(random, 50) ? std::vector<long>{4} : std::vector<long>{3, 4}, chance(random, 70)});
  const int dimensions = 2 + int(random() % 2), instructions = 1 + int(random() % 2);
  std::vector<int> loops;
  for (int d = 0; d < dimensions; ++d) {
    const KindSet kinds = KindSet::ofBits(unsigned(random() % 31) + 1) | (Kind::For | Kind::Block);
    loops.push_back(s.addDimension({"d" + std::to_string(d), int(random() % 2), kinds, chance(random, 80)}));
  }
  std::vector<int> made;
  for (int i = 0; i < instructions; ++i) {
    Instruction instruction{
        "i" + std::to_string(i), {}, chance(random, 50), chance(random, 50), i == 0 && chance(random, 30)};
    for (const int d : loops)
      if (chance(random, 60))
        instruction.dimensions.push_back(d);
    made.push_back(s.addInstruction(instruction));
  }
  if (instructions == 2) {
    s.edges.push_back({made[0], made[1]});
    if (chance(random, 60))
      s.communications.push_back({"v", {{loops[0], loops[1]}}});
  }
  s.accesses.push_back({made[0], Cache::First | Cache::None});
  s.limits.threadsInBlock = 8;
  s.limits.unrolled = 8;
  s.limits.blockDimensions = 1 + long(random() % 2);
  s.limits.sharedBytes = 12;
  s.limits.unrollsInnermostOnly = chance(random, 50);
  return s;
}

/// All assignments of the first domains that keep every constraint, found without propagation.
std::set<Leaf> allLegal(const Problem &problem) {
  std::set<Leaf> found;
  const std::size_t count = problem.variables().size();
  Leaf leaf(count, 0);
  // A constraint is looked at when the last of its variables has got its value.
  std::vector<std::vector<int>> at(count);
  for (int c = 0; c < int(problem.constraints().size()); ++c) {
    int last = 0;
    for (int v = 0; v < int(count); ++v)
      if (std::count(problem.of(v).begin(), problem.of(v).end(), c) > 0)
        last = v;
    at[std::size_t(last)].push_back(c);
  }
  State state(problem);
  auto holds = [&](int c) {
    const Constraint &constraint = problem.constraints()[std::size_t(c)];
    Leaf full = leaf;
    for (std::size_t v = 0; v < count; ++v)
      if (full[v] == 0)
        full[v] = problem.variables()[v].initial;
    state.take(full);
    return holdsAnyway(state, constraint);
  };
  auto fill = [&](auto &&self, std::size_t v) -> void {
    if (v == count) {
      found.insert(leaf);
      return;
    }
    for (Domain rest = problem.variables()[v].initial; rest != 0; rest &= rest - 1) {
      leaf[v] = rest & -rest;
      if (std::all_of(at[v].begin(), at[v].end(), holds))
        self(self, v + 1);
    }
    leaf[v] = 0;
  };
  fill(fill, 0);
  return found;
}

TEST(RandomSpaces, HaveExactlyTheLegalLeaves) {
  int legal = 0, empty = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const Space space(randomStructure(random));
    const std::set<Leaf> expected = allLegal(space.problem());
    std::set<Leaf> reached;
    State state(space.problem());
    if (state.propagate()) {
      enumerate(state, [&](const State &leaf) { return reached.insert(leaf.domains()).second; });
      EXPECT_EQ(countLeaves(state, {}).leaves, (long double)expected.size()) << seed;
    } else {
      EXPECT_FALSE(space.why(*state.conflict()).empty());
      ++empty;
    }
    EXPECT_EQ(reached, expected) << seed;
    legal += int(expected.size());
  }
  EXPECT_GT(legal, 1000);
  EXPECT_LT(empty, 40);
}

TEST(RandomSpaces, DecisionsInAnyOrderGiveTheSameState) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const Space space(randomStructure(random));
    State state(space.problem());
    if (!state.propagate())
      continue;
    const Leaf root = state.domains();
    EXPECT_TRUE(state.propagate());
    EXPECT_EQ(state.domains(), root) << "propagating again changes nothing";
    // Decisions towards one leaf, so that all of them fit together.
    Leaf goal;
    enumerate(state, [&](const State &leaf) {
      goal = leaf.domains();
      return !chance(random, 5);
    });
    if (goal.empty())
      continue;
    std::vector<int> variables;
    for (int v = 0; v < int(root.size()); ++v)
      if (chance(random, 30))
        variables.push_back(v);
    Leaf first;
    for (int attempt = 0; attempt < 5; ++attempt) {
      std::shuffle(variables.begin(), variables.end(), random);
      const State::Mark before = state.mark();
      for (const int v : variables)
        ASSERT_TRUE(state.decide(v, unsigned(std::countr_zero(goal[std::size_t(v)]))));
      if (first.empty())
        first = state.domains();
      EXPECT_EQ(state.domains(), first) << seed;
      state.undo(before);
      EXPECT_EQ(state.domains(), root) << "undo brings everything back";
    }
  }
}

} // namespace
} // namespace pbc::search
