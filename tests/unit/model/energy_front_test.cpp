// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Time and energy over tiles.
#include "compiler/model/energy/energy_front.h"
#include "compiler/model/time/tile_search.h"
#include "compiler/model/time/wavefront.h"
#include "tests/unit/model/machines.h"

#include <gtest/gtest.h>

using namespace pbc::model;

namespace {

struct FrontCase {
  EnergyRun like;
  double iteration;
};

const std::vector<FrontCase> kFrontCases = {{{.code = EnergyCode::Jacobi2D,
                                              .size1 = 2048,
                                              .size2 = 2048,
                                              .steps = 512,
                                              .tile1 = 1,
                                              .tile2 = 32,
                                              .tileSteps = 2},
                                             5.4e-8},
                                            {{.code = EnergyCode::Jacobi1D,
                                              .size1 = 65536,
                                              .steps = 1024,
                                              .tile1 = 32,
                                              .tileSteps = 32,
                                              .subTile = 8},
                                             5.4e-8},
                                            {{.code = EnergyCode::SmithWaterman,
                                              .size1 = 8192,
                                              .steps = 4096,
                                              .tile1 = 32,
                                              .tileSteps = 32,
                                              .subTile = 8},
                                             3e-8}};

TEST(EnergyFront, NoTileBeatsItsPoints) {
  const StencilMachine machine = stencilMachine(shipped("k20c"));
  const Spendings costs = costsOf(shipped("k20c"), "regression");
  for (const FrontCase &c : kFrontCases) {
    const EnergyFront found = energyFront(machine, costs, c.like, c.iteration);
    ASSERT_FALSE(found.front.empty());
    for (const EnergyPoint &p : found.points) {
      EXPECT_GE(p.seconds, found.points[found.fastest].seconds);
      EXPECT_GE(p.joules, found.points[found.leastEnergy].joules);
      EXPECT_GE(p.product(), found.points[found.leastProduct].product());
      bool isCovered = false;
      for (const size_t f : found.front)
        isCovered |= found.points[f].seconds <= p.seconds && found.points[f].joules <= p.joules;
      EXPECT_TRUE(isCovered);
    }
    // Each point has the same values as a question for its tile.
    for (const size_t i : found.front) {
      const EnergyPoint &p = found.points[i];
      EXPECT_EQ(predictedSeconds(machine, p.run, c.iteration), p.seconds);
      EXPECT_EQ(joules(spentByRun(p.run, p.seconds), costs), p.joules);
    }
  }
}

TEST(EnergyFront, TimesAreThoseOfTheTimeModels) {
  const StencilMachine machine = stencilMachine(shipped("gtx980"));
  const EnergyRun jacobi{.code = EnergyCode::Jacobi2D,
                         .size1 = 4096,
                         .size2 = 4096,
                         .steps = 1024,
                         .tile1 = 8,
                         .tile2 = 64,
                         .tileSteps = 16};
  EXPECT_NEAR(predictedSeconds(machine, jacobi, 3.39e-8), 0.40815676, 1e-8); // section 1.12
  const EnergyRun table{.code = EnergyCode::SmithWaterman,
                        .size1 = 4096,
                        .steps = 2048,
                        .tile1 = 256,
                        .tileSteps = 128,
                        .subTile = 8};
  EXPECT_EQ(predictedSeconds(machine, table, 3e-8),
            tableTime(machine, 4096, 2048, {256, 128, 8, 8}, 3e-8).total);
  // All tiles must have been tried.
  const EnergyFront found = energyFront(machine, Spendings(), jacobi, 3.39e-8);
  EXPECT_EQ(found.points.size(), 5373U);
}

TEST(EnergyFront, FewSkewedTilesAreNotChargedAsManyResidentOnes) {
  // 5 to 17 tiles in a wavefront for 13 units: as many as fit on a unit at once would leave most of it empty.
  const StencilMachine machine = stencilMachine(shipped("k20c"));
  const EnergyRun run{.code = EnergyCode::Jacobi1D,
                      .size1 = 65536,
                      .steps = 1024,
                      .tile1 = 256,
                      .tileSteps = 64,
                      .subTile = 8};
  const SubtiledTile tile{256, 64, 8, 8};
  const std::vector<long> widths = skewedWavefronts(65536, 1024, 256, 64);
  double tiles = 0;
  for (const long width : widths)
    tiles += static_cast<double>(width);
  const double alone = subtiledCompute(machine, tile, 5.4e-8);
  const double seconds = predictedSeconds(machine, run, 5.4e-8);
  EXPECT_GE(seconds, tiles / static_cast<double>(machine.units) * alone);
  EXPECT_LE(seconds, static_cast<double>(widths.size()) * (2.1 * alone + machine.launch));
}

TEST(EnergyFront, WhatCannotBeTimed) {
  const StencilMachine machine = stencilMachine(shipped("k20c"));
  EnergyRun huge = kFrontCases[2].like, wide = kFrontCases[1].like;
  huge.size1 = huge.steps = 1'000'000'000'000;
  wide.tile1 = 1 << 18;
  EXPECT_THROW(predictedSeconds(machine, huge, 3e-8), Problem);
  EXPECT_THROW(predictedSeconds(machine, wide, 3e-8), Problem);
  EXPECT_THROW(energyFront(machine, Spendings(), huge, 3e-8), Problem);
}

} // namespace
