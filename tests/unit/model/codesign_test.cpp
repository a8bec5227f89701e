// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Codesign: the counts and the small example of cost-models.md section 4.3; compares the bounded search with
// all tiles on all chips.
#include "compiler/model/codesign/codesign.h"
#include "compiler/model/time/tile_search.h"
#include "tests/unit/model/machines.h"
#include "tests/unit/model/vectors.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <tuple>

using namespace pbc::model;

namespace {

StencilMachine basis() { return stencilMachine(shipped("gtx980")); }

StencilProblem problemOf(const char *stencil, std::array<long, 3> extents, long steps) {
  return {namedStencil(stencil), extents, steps, iterationTime(shipped("gtx980"), namedStencil(stencil))};
}

TEST(Codesign, DesignsOfTheSpecification) {
  const std::vector<Design> designs = designsIn({});
  EXPECT_EQ(designs.size(), 3737U);
  EXPECT_EQ(std::ranges::count_if(designs, [](const Design &d) { return d.area >= 425 && d.area <= 450; }),
            225);
  DesignRanges narrow;
  narrow.leastArea = 425;
  narrow.mostArea = 450;
  EXPECT_EQ(designsIn(narrow).size(), 225U);
}

TEST(Codesign, BudgetsThatNoDesignMeets) {
  DesignRanges ranges;
  ranges.leastArea = 1;
  ranges.mostArea = 10;
  try {
    designsIn(ranges);
    FAIL();
  } catch (const Problem &problem) {
    EXPECT_STREQ(problem.what(), "no design has an area from 1 to 10 mm2");
    EXPECT_EQ(problem.help(),
              "the smallest of these ranges has 16.8 mm2, the largest 3946.8 mm2, and none between lies "
              "in the budget");
  }
  for (const auto &spoil : std::vector<void (*)(DesignRanges &)>{
           [](DesignRanges &r) { r.units = {-2, 32, 2}; }, [](DesignRanges &r) { r.units.step = 0; },
           [](DesignRanges &r) { r.lanes = {64, 32, 32}; }, [](DesignRanges &r) { r.sharedKb = {}; },
           [](DesignRanges &r) { r.sharedKb = {48, -48}; }, [](DesignRanges &r) { r.sharedKb = {NAN}; },
           [](DesignRanges &r) { r.mostArea = 100; }, [](DesignRanges &r) { r.leastArea = NAN; },
           [](DesignRanges &r) { r.mostArea = INFINITY; }, [](DesignRanges &r) { r.registersKb = -1; },
           [](DesignRanges &r) { r.lanes = {1, 1000000, 1}; }}) {
    DesignRanges spoiled;
    spoil(spoiled);
    EXPECT_THROW(designsIn(spoiled), Problem);
  }
}

TEST(Codesign, WorkloadOfTheSpecification) {
  const Workload workload = publishedWorkload(shipped("gtx980"));
  EXPECT_EQ(workload.size(), 4U * 16 + 2U * 12);
  EXPECT_EQ(publishedSizes(namedStencil("Jacobi2D"), 1e-8).size(), 16U);
  EXPECT_EQ(publishedSizes(namedStencil("Heat3D"), 1e-8).size(), 12U);
  double sum = 0, jacobi = 0;
  for (const WorkloadCase &c : workload) {
    sum += c.frequency;
    jacobi += c.problem.stencil.name == "Jacobi2D" ? c.frequency : 0;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(jacobi, 1.0 / 6, 1e-12);
}

TEST(Codesign, Weights) {
  const Workload workload = publishedWorkload(shipped("gtx980"));
  const Workload other = weighted(workload, {{"Jacobi2D", 3}, {"Heat3D", 1}});
  double jacobi = 0, heat = 0, sum = 0;
  for (const WorkloadCase &c : other) {
    sum += c.frequency;
    jacobi += c.problem.stencil.name == "Jacobi2D" ? c.frequency : 0;
    heat += c.problem.stencil.name == "Heat3D" ? c.frequency : 0;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(jacobi, 0.75, 1e-12);
  EXPECT_NEAR(heat, 0.25, 1e-12);
  EXPECT_THROW(weighted(workload, {{"Jacobi", 1}}), Problem);
  EXPECT_THROW(weighted(workload, {{"Jacobi2D", -1}}), Problem);
  EXPECT_THROW(weighted(workload, {{"Jacobi2D", NAN}}), Problem);
  EXPECT_THROW(weighted(workload, {{"Jacobi2D", 0}}), Problem);
  EXPECT_THROW(equallyFrequent({{}}), Problem);
}

// 48 designs and 60 tiles, in the order of the specification's script, which takes the first of equal tiles.
struct Small {
  std::vector<Design> designs;
  std::vector<Tile> tiles;
  Codesign codesign;

  static std::vector<Design> all() {
    DesignRanges ranges;
    ranges.sharedKb = {24, 48, 96};
    ranges.leastArea = 0;
    ranges.mostArea = 1e6;
    std::vector<Design> out;
    for (const int units : {8, 16, 24, 32})
      for (const int lanes : {64, 128, 256, 512}) {
        ranges.units = {units, units, 1};
        ranges.lanes = {lanes, lanes, 1};
        std::ranges::copy(designsIn(ranges), std::back_inserter(out));
      }
    return out;
  }
  static std::vector<Tile> some() {
    std::vector<Tile> out;
    for (const long a : {4, 8, 16, 32, 64})
      for (const long b : {32, 64, 128})
        for (const long t : {4, 8, 16, 32})
          out.push_back({{a, b, 1}, t});
    return out;
  }
  explicit Small(TimeModel model = TimeModel::Corrected)
      : designs(all()), tiles(some()),
        codesign(basis(), designs, {{problemOf("Jacobi2D", {8192, 8192, 1}, 4096), 1}}, model, tiles) {}
};

TEST(Codesign, SmallExample) {
  const Small small;
  const auto seconds = small.codesign.seconds(small.codesign.workload());
  const auto front = small.codesign.front(seconds);
  EXPECT_EQ(vectorNamed("mini codesign grid points / Pareto points"),
            nlohmann::json::array({small.designs.size(), front.size()}));
  for (const size_t d : front) {
    const Design &design = small.designs[d];
    const Tile &tile = *small.codesign.tile(0, d);
    const std::string name = fmt::format(
        "  Pareto area={:.2f} (nSM,nV,MSM,tS1,tS2,tT)=({}, {}, {}, {}, {}, {})  Giter/s", design.area,
        design.units, design.lanes, design.sharedKb, tile.space[0], tile.space[1], tile.time);
    const double performance = meanIterations(small.codesign.workload()) / seconds[d] / 1e9;
    const auto expected =
        vectorNamed(name).get<double>(); // throws if it is not a point of the specification's front
    EXPECT_NEAR(performance, expected, expected * 1e-12) << name;
  }
}

/// The least time over all tiles, one after the other.
InnerMinimum byTrial(const StencilMachine &machine, const StencilProblem &problem,
                     const std::vector<Tile> &tiles, TimeModel model) {
  InnerMinimum least{INFINITY, -1};
  for (size_t i = 0; i < tiles.size(); ++i)
    if (residency(machine, problem.stencil, tiles[i]) > 0)
      if (const double t = modelledTime(machine, problem, tiles[i], model); t < least.seconds)
        least = {t, static_cast<int>(i)};
  return least;
}

TEST(Codesign, TheBoundLosesNothing) {
  std::mt19937 random(17);
  const auto any = [&](std::vector<long> values) { return values[random() % values.size()]; };
  for (const TimeModel model :
       {TimeModel::Corrected, TimeModel::Balanced, TimeModel::Uncontended, TimeModel::Printed})
    for (const char *name : {"Jacobi2D", "Gradient2D", "Heat3D"}) {
      const bool isCube = std::string(name) == "Heat3D";
      const long size = isCube ? any({64, 100, 384}) : any({333, 1000, 4096});
      const StencilProblem problem = problemOf(name, {size, size, isCube ? size : 1}, any({7, 128, 1024}));
      std::vector<Tile> all, tiles;
      forEachFeasibleTile(basis(), problem, [&](const Tile &tile) { all.push_back(tile); });
      std::ranges::sample(all, std::back_inserter(tiles), 250, random);
      std::vector<Design> designs;
      for (int i = 0; i < 12; ++i)
        for (const double kb : {3.0, 12.0, 24.0, 48.0, 96.0, 480.0})
          designs.push_back({2 * (1 + i % 5), static_cast<int>(32 * (1 + i * i)), kb, 100});
      const Codesign codesign(basis(), designs, {{problem, 1}}, model, tiles);
      for (size_t d = 0; d < designs.size(); ++d) {
        const InnerMinimum expected = byTrial(machineOf(designs[d], basis()), problem, tiles, model);
        EXPECT_EQ(codesign.minimum(0, d).seconds, expected.seconds)
            << name << nameOf(model) << d; // bit for bit
        EXPECT_EQ(codesign.minimum(0, d).tile, expected.tile) << name << nameOf(model) << d;
      }
    }
}

TEST(Codesign, AgreesWithTheSearchForTiles) {
  const Design gtx980{16, 128, 96, 0};
  const StencilProblem problem = problemOf("Gradient2D", {8192, 8192, 1}, 8192);
  const Codesign codesign(basis(), {gtx980}, {{problem, 1}}, TimeModel::Corrected);
  const TileSearchResult search = searchTiles(basis(), problem);
  EXPECT_EQ(codesign.tried(), static_cast<double>(search.feasible));
  EXPECT_EQ(codesign.minimum(0, 0).seconds, search.best.time.total);
  EXPECT_NEAR(codesign.minimum(0, 0).seconds, 16.503133, 1e-6); // section 1.12
}

TEST(Codesign, AnotherWeightingIsASumOverWhatIsKept) {
  const std::vector<Design> designs = Small::all();
  const Workload workload = equallyFrequent(
      {{problemOf("Jacobi2D", {1024, 1024, 1}, 256)}, {problemOf("Heat3D", {128, 128, 128}, 64)}});
  const Codesign both(basis(), designs, workload, TimeModel::Corrected);
  for (const char *name : {"Jacobi2D", "Heat3D"}) {
    const auto seconds = both.seconds(weighted(workload, {{name, 5}}));
    Workload alone;
    for (const WorkloadCase &c : workload)
      if (c.problem.stencil.name == name)
        alone.push_back({c.problem, 1});
    EXPECT_EQ(seconds, Codesign(basis(), designs, alone, TimeModel::Corrected).seconds(alone));
  }
}

TEST(Codesign, ADesignWithoutRoomForATileHasNoTime) {
  const std::vector<Design> designs = {{2, 128, 1, 10}, {2, 128, 48, 20}};
  const Codesign codesign(basis(), designs, {{problemOf("Jacobi2D", {512, 512, 1}, 64), 1}},
                          TimeModel::Corrected);
  const auto seconds = codesign.seconds(codesign.workload());
  EXPECT_EQ(codesign.tile(0, 0), nullptr);
  EXPECT_TRUE(std::isinf(seconds[0]));
  EXPECT_EQ(codesign.best(seconds), 1U);
  EXPECT_THAT(codesign.front(seconds), testing::ElementsAre(1));
  EXPECT_THROW(codesign.best(seconds, 15), Problem);
}

// Section 4.3: a full enumeration with the corrected model ends with few wide units; the printed one at
// moderate ones like those of table C.2.
TEST(Codesign, TheModelsPreferDifferentChips) {
  DesignRanges ranges;
  ranges.leastArea = 425;
  ranges.mostArea = 450;
  const std::vector<Design> designs = designsIn(ranges);
  const Stencil jacobi = namedStencil("Jacobi2D");
  const Workload workload =
      equallyFrequent({publishedSizes(jacobi, iterationTime(shipped("gtx980"), jacobi))});
  const auto bestOf = [&](TimeModel model) {
    const Codesign codesign(basis(), designs, workload, model);
    const auto seconds = codesign.seconds(workload);
    const size_t best = codesign.best(seconds);
    return std::tuple(designs[best].units, designs[best].lanes, designs[best].sharedKb,
                      std::round(meanIterations(workload) / seconds[best] / 1e9));
  };
  EXPECT_EQ(bestOf(TimeModel::Corrected), std::tuple(4, 1952, 96.0, 208.0));
  EXPECT_EQ(bestOf(TimeModel::Printed), std::tuple(26, 192, 24.0, 280.0));
}

// Chips cannot be faster than all lanes always busy; the printed model says that they are.
TEST(Codesign, IdealTime) {
  for (const TimeModel model :
       {TimeModel::Corrected, TimeModel::Balanced, TimeModel::Uncontended, TimeModel::Printed}) {
    const StencilProblem problem = problemOf("Jacobi2D", {4096, 4096, 1}, 1024);
    const std::vector<Design> designs = {{8, 128, 96, 0}, {16, 128, 96, 0}, {4, 640, 96, 0}};
    const Codesign codesign(basis(), designs, {{problem, 1}}, model);
    for (size_t d = 0; d < designs.size(); ++d) {
      const bool isPossible =
          codesign.minimum(0, d).seconds >= idealTime(machineOf(designs[d], basis()), problem) * (1 - 1e-9);
      EXPECT_EQ(isPossible, model != TimeModel::Printed) << nameOf(model) << d;
    }
  }
}

} // namespace
