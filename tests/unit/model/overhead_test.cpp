// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the time is spent on: factors, parts, and bounds over whole spaces.
#include "compiler/model/time/overhead.h"
#include "compiler/model/time/tile_search.h"

#include "tests/unit/model/machines.h"
#include "tests/unit/model/vectors.h"

#include <gtest/gtest.h>

namespace pbc::model {
namespace {

StencilProblem jacobi2D() { return {namedStencil("Jacobi2D"), {4096, 4096, 1}, 1024, 3.39e-8}; }

TEST(Overhead, FactorsAsTheSpecificationSays) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  for (const auto &[tile, text] : {std::pair(Tile{{8, 64, 1}, 16}, "tS=(8, 64) tT=16"),
                                   {Tile{{14, 64, 1}, 38}, "tS=(14, 64) tT=38"},
                                   {Tile{{6, 96, 1}, 12}, "tS=(6, 96) tT=12"}}) {
    SCOPED_TRACE(text);
    const StencilTime t = stencilTime(m, jacobi2D(), tile, {.contention = false});
    const Overhead o = overheadOf(m, jacobi2D(), tile, t);
    const auto &wanted = vectorNamed("factors Jacobi2D GTX980 4096^2x1024 " + std::string(text));
    EXPECT_NEAR(o.time, wanted["q_t"], 1e-12);
    EXPECT_NEAR(o.wavefront, wanted["q_s"], 1e-12);
    EXPECT_NEAR(o.fringe, wanted["q_2"], 1e-12);
    EXPECT_NEAR(o.lanes / wanted["q_v"].get<double>(), 1, 1e-9);
    EXPECT_NEAR(o.computing / wanted["compute"].get<double>(), 1, 1e-9);
    EXPECT_NEAR(o.barriers / wanted["barriers"].get<double>(), 1, 1e-9);
    EXPECT_NEAR((o.transfers + o.launches) / wanted["io_and_launch"].get<double>(), 1, 1e-6);
    EXPECT_TRUE(o.isComputeBound);
    EXPECT_NEAR(o.ideal * o.factor() / o.computing, 1, 1e-9);
  }
}

TEST(Overhead, PrintedFormulaAndWhatItCounts) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  // The vector belongs to the last tile that the script considers.
  const auto &wanted = vectorNamed("(8.5) printed overhead / true Talg-Tideal");
  const Tile tile{{6, 96, 1}, 12};
  const double real =
      stencilTime(m, jacobi2D(), tile, {.contention = false}).total - idealTime(m, jacobi2D());
  EXPECT_NEAR(printedOverhead(jacobi2D(), tile) / wanted[0].get<double>(), 1, 1e-9);
  EXPECT_NEAR(real / wanted[1].get<double>(), 1, 1e-6);
  // If no lane is wasted, only the barriers are left, apart from the rounding of wavefronts and steps.
  const Tile even{{8, 64, 1}, 16};
  const Overhead o = overheadOf(m, jacobi2D(), even, stencilTime(m, jacobi2D(), even));
  EXPECT_EQ(o.lanes, 1);
  EXPECT_NEAR(rowOverhead(m, jacobi2D(), even, 0) * o.time * o.wavefront / o.barriers, 1, 1e-9);
}

class WholeSpace : public testing::TestWithParam<std::pair<const char *, StencilProblem>> {};

TEST_P(WholeSpace, NoTileIsFasterThanTheMachineAndThePartsAddUp) {
  const auto &[name, problem] = GetParam();
  const StencilMachine m = stencilMachine(shipped(name));
  const double ideal = idealTime(m, problem);
  long tiles = 0;
  forEachFeasibleTile(m, problem, [&](const Tile &tile) {
    const long most = residency(m, problem.stencil, tile);
    for (const long k : {1L, most}) {
      const StencilTime t = feasibleTime(m, problem, tile, {}, k);
      ASSERT_GE(t.total, ideal) << tile.space[0] << ' ' << tile.space[1] << ' ' << tile.time;
      ASSERT_GE(t.total, trafficTime(m, t) * (1 - 1e-12));
      const Overhead o = overheadOf(m, problem, tile, t);
      ASSERT_GE(std::min({o.time, o.wavefront, o.fringe, o.lanes}), 1 - 1e-12);
      ASSERT_NEAR(o.total() / t.total, 1, 1e-9);
      ASSERT_GE(o.transfers, 0);
      if (o.isComputeBound) {
        ASSERT_NEAR(o.ideal * o.factor() / o.computing, 1, 1e-9);
      }
    }
    if (++tiles % 17 == 0) {
      const double balanced = balancedTime(m, problem, tile);
      ASSERT_GE(balanced, ideal * (1 - 1e-12));
      ASSERT_LE(balanced, feasibleTime(m, problem, tile, {.pipeline = true}, most).total * (1 + 1e-12));
      ASSERT_GE(countedTime(m, problem, tile), ideal * (1 - 1e-12));
    }
  });
  EXPECT_GT(tiles, 300);
}

Stencil wideStencil() { return {"wide", 2, 3, 2, {}}; }

INSTANTIATE_TEST_SUITE_P(
    Problems, WholeSpace,
    testing::Values(
        std::pair("gtx980", jacobi2D()),
        std::pair("titanx", StencilProblem{namedStencil("Gradient2D"), {8192, 8192, 1}, 8192, 7.6e-8}),
        std::pair("gtx980", StencilProblem{namedStencil("Jacobi2D"), {333, 41, 1}, 19, 1e-12}),
        std::pair("gtx980", StencilProblem{namedStencil("Heat3D"), {384, 384, 384}, 128, 1.55e-7}),
        std::pair("gtx980", StencilProblem{wideStencil(), {1000, 700, 1}, 100, 5e-9}),
        std::pair("gtx980", StencilProblem{namedStencil("Jacobi1D"), {65536, 1, 1}, 100, 1e-10})));

TEST(WholeSpacePrinted, BreaksTheIdealTime) {
  // Guards the correction: with the printed pitch iterations are lost, and degenerate tiles win.
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  const TileSearchResult printed = searchTiles(m, jacobi2D(), timeForm(Mode::Printed));
  EXPECT_LT(printed.best.time.total, 0.6 * idealTime(m, jacobi2D()));
}

} // namespace
} // namespace pbc::model
