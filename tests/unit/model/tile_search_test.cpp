// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares the best tiles with the specification's, over whole spaces.
#include "compiler/model/time/tile_search.h"

#include "tests/unit/model/machines.h"
#include "tests/unit/model/vectors.h"

#include <gtest/gtest.h>
#include <set>

namespace pbc::model {
namespace {

std::string tileText(const Tile &tile) {
  return "(" + std::to_string(tile.space[0]) + ", " + std::to_string(tile.space[1]) + ", " +
         std::to_string(tile.time) + ")";
}

TEST(TileSearch, BestTilesOfFourStencilsInThreeForms) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  for (const char *stencil : {"Jacobi2D", "Heat2D", "Laplacian2D", "Gradient2D"})
    for (const auto &[extent, steps] : {std::pair(4096L, 1024L), {8192, 8192}})
      for (const auto &[text, form] : {std::pair("pitch=printed contended=False", timeForm(Mode::Printed)),
                                       {"pitch=exact contended=False", TimeForm{.contention = false}},
                                       {"pitch=exact contended=True", timeForm(Mode::Corrected)}}) {
        const std::string name = "argmin Talg " + std::string(stencil) +
                                 " GTX980 S=" + std::to_string(extent) + " T=" + std::to_string(steps) + " " +
                                 text;
        SCOPED_TRACE(name);
        const StencilProblem p{namedStencil(stencil),
                               {extent, extent, 1},
                               steps,
                               iterationTime(shipped("gtx980"), namedStencil(stencil))};
        const TileSearchResult found = searchTiles(m, p, form);
        const auto &wanted = vectorNamed(name);
        EXPECT_NEAR(found.best.time.total / wanted["Talg"].get<double>(), 1, 1e-6);
        EXPECT_EQ(tileText(found.best.tile), wanted["tile"].get<std::string>());
        EXPECT_EQ(found.near, wanted["within10"]);
        EXPECT_EQ(found.feasible, wanted["feasible"]);
        EXPECT_NEAR(found.best.time.total / idealTime(m, p) / wanted["ratio_to_ideal"].get<double>(), 1,
                    1e-6);
      }
}

TEST(TileSearch, CandidatesAreRankedAndCut) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  const StencilProblem p{namedStencil("Jacobi2D"), {4096, 4096, 1}, 1024, 3.39e-8};
  const TileSearchResult found = searchTiles(m, p, {}, {.within = 0.05, .budget = 20});
  ASSERT_EQ(found.candidates.size(), 20u);
  EXPECT_GT(found.near, 20);
  EXPECT_EQ(found.candidates[0].tile, found.best.tile);
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    EXPECT_LE(found.candidates[i].time.total, found.best.time.total * 1.05);
    if (i > 1) {
      EXPECT_LE(found.candidates[i].time.resident, found.candidates[i - 1].time.resident);
    }
  }
  // Everything is within a large enough part.
  EXPECT_EQ(searchTiles(m, p, {}, {.within = 1e6}).near, found.feasible);
  EXPECT_EQ(searchTiles(m, p, {}, {.within = 0, .budget = 0}).candidates.size(), 1u);
}

TEST(TileSearch, ASpaceIsExactlyTheFeasibleTiles) {
  StencilMachine m = stencilMachine(shipped("gtx980"));
  m.blockWords = 1800;
  const StencilProblem p{{"s", 2, 2, 1, {}}, {40, 70, 1}, 9, 1e-8};
  std::set<std::array<long, 3>> visited;
  forEachFeasibleTile(
      m, p, [&](const Tile &t) { EXPECT_TRUE(visited.insert({t.space[0], t.space[1], t.time}).second); });
  std::size_t count = 0;
  for (long tT = 2; tT <= 20; tT += 2)
    for (long tS2 = 32; tS2 <= 70 + 2 * tT + 31; tS2 += 32)
      for (long tS1 = 2; tS1 <= 40; ++tS1)
        if (2 * (tS1 + 2 * tT + 1) * (tS2 + 2 * tT + 1) <= 1800) {
          ++count;
          EXPECT_TRUE(visited.contains({tS1, tS2, tT})) << tS1 << ' ' << tS2 << ' ' << tT;
        }
  EXPECT_EQ(visited.size(), count);
  EXPECT_GT(count, 20u);
}

TEST(TileSearch, CountedWavefrontsOfFewUnits) {
  // With two units the approximation treats a wavefront of 2 to 3 tiles as one of 2.
  StencilMachine m = stencilMachine(shipped("gtx980"));
  m.units = 2, m.lanes = 16, m.blocksPerUnit = 1, m.blockWords = m.unitWords;
  const StencilProblem p{namedStencil("Jacobi2D"), {1000, 1000, 1}, 200, 2e-9};
  const RankedTile approximated = searchTiles(m, p).best;
  const TileSearchResult counted = searchTiles(m, p, {}, {.isCounted = true});
  EXPECT_LT(counted.best.total, countedTime(m, p, approximated.tile));
  EXPECT_EQ(counted.best.total, countedTime(m, p, counted.best.tile));
  forEachFeasibleTile(m, p,
                      [&](const Tile &tile) { ASSERT_GE(countedTime(m, p, tile), counted.best.total); });
}

TEST(TileSearch, AFixedNumberOfTilesOnAUnit) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  const StencilProblem p{namedStencil("Jacobi2D"), {4096, 4096, 1}, 1024, 3.39e-8};
  const TileSearchResult found = searchTiles(m, p, {}, {.resident = 4});
  EXPECT_EQ(found.best.time.resident, 4);
  EXPECT_LE(4 * found.best.time.tileWords, m.unitWords);
}

TEST(TileSearch, LargeSpacesOfOneDimensionAreThinned) {
  const StencilMachine m = stencilMachine(shipped("h200"));
  const StencilProblem p{namedStencil("Jacobi1D"), {1 << 24, 1, 1}, 100000, 2e-8};
  const TileSearchResult found = searchTiles(m, p);
  EXPECT_GT(found.baseStep, 1);
  EXPECT_LE(found.feasible, 2'000'000);
  EXPECT_GE(found.best.time.total, idealTime(m, p));
}

TEST(TileSearch, WhereNothingFits) {
  StencilMachine m = stencilMachine(shipped("gtx980"));
  m.blockWords = 100;
  const StencilProblem p{namedStencil("Jacobi2D"), {4096, 4096, 1}, 1024, 3.39e-8};
  try {
    searchTiles(m, p);
    FAIL();
  } catch (const Problem &problem) {
    EXPECT_STREQ(
        problem.what(),
        "no tile of Jacobi2D is feasible on GTX 980, where a block may have 100 words of fast memory");
  }
  EXPECT_THROW(searchTiles(stencilMachine(shipped("gtx980")), p, {}, {.resident = 33}), Problem);
  EXPECT_THROW(searchTiles(stencilMachine(shipped("gtx980")), p, {}, {.resident = -1}), Problem);
  EXPECT_THROW(searchTiles(stencilMachine(shipped("gtx980")), p, {}, {.within = -0.1}), Problem);
}

} // namespace
} // namespace pbc::model
