// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/search/gpu_examples.h"
#include "compiler/search/count.h"
#include "compiler/search/strategy/search.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace pbc::search {
namespace {

/// Random decisions until nothing is open; false: nothing was left. Calls `each` after every one.
template <class Each>
bool descend(State &state, std::mt19937_64 &random, const Each &each) {
  std::vector<int> variables(state.domains().size());
  for (std::size_t v = 0; v < variables.size(); ++v)
    variables[v] = int(v);
  std::shuffle(variables.begin(), variables.end(), random);
  for (const int v : variables) {
    if (state.isDecided(v))
      continue;
    Domain rest = state.domain(v);
    for (auto skip = random() % std::uint64_t(std::popcount(rest)); skip > 0; --skip)
      rest &= rest - 1;
    if (!state.decide(v, unsigned(std::countr_zero(rest))))
      return false;
    each();
  }
  return true;
}

struct Named {
  std::string name;
  GpuSpace space;
};
std::vector<Named> examples() {
  std::vector<Named> all;
  all.push_back({"map", gpuMap(100000)});
  all.push_back({"scaled vector", gpuScaledVector(1000)});
  all.push_back({"sgemm 1 1", gpuSgemm(256, 1, 1)});
  all.push_back({"sgemm 16 1", gpuSgemm(512, 16, 1)});
  all.push_back({"sgemm 16 4", gpuSgemm(1024, 16, 4)});
  all.push_back({"sgemm 8 8", gpuSgemm(1024, 8, 8)});
  return all;
}

/// Section 10, tests 5 and 6: along every way to a leaf no term falls, and no term is above the leaf's time.
TEST(GpuBound, NoTermFallsOnTheWayDownAndNoneIsAboveTheTime) {
  const GpuRates rates = toyGpu();
  for (const Named &example : examples()) {
    const GpuSpace &space = example.space;
    const GpuBounds bounds(*space.space, space.work, rates);
    const ModelDevice device(*space.space, space.work, rates);
    State state(space.space->problem());
    ASSERT_TRUE(state.propagate());
    std::mt19937_64 random(3);
    int leaves = 0;
    for (int descent = 0; descent < 2000 && leaves < 400; ++descent) {
      const State::Mark root = state.mark();
      std::vector<std::vector<GpuTermValue>> way;
      auto look = [&] {
        auto &values = way.emplace_back();
        for (int t = 0; t < int(gpuTerms().size()); ++t)
          values.push_back(bounds.term(t, state));
      };
      look();
      if (descend(state, random, look)) {
        const LeafTime time = device.time(state);
        leaves += time.isMeasured ? 1 : 0;
        for (std::size_t t = 0; t < gpuTerms().size(); ++t)
          for (std::size_t step = 0; step < way.size(); ++step) {
            if (step > 0)
              EXPECT_GE(way[step][t].seconds, way[step - 1][t].seconds * (1 - 1e-9))
                  << example.name << " " << gpuTerms()[t].name << " at step " << step;
            if (time.isMeasured)
              EXPECT_LE(way[step][t].seconds, time.seconds * (1 + 1e-9))
                  << example.name << " " << gpuTerms()[t].name << " at step " << step << " of " << way.size();
          }
      }
      state.undo(root);
    }
    EXPECT_GT(leaves, 10) << example.name;
  }
}

} // namespace
} // namespace pbc::search
