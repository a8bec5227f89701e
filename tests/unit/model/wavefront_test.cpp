// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Wavefronts that grow and shrink.
#include "compiler/model/time/hexagon.h"
#include "compiler/model/time/wavefront.h"

#include "tests/unit/model/machines.h"
#include "tests/unit/model/vectors.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

namespace pbc::model {
namespace {

long sum(const std::vector<long> &widths) { return std::accumulate(widths.begin(), widths.end(), 0L); }

TEST(Wavefront, OfATable) {
  const std::vector<long> widths = tableWavefronts(64, 48);
  const auto &wanted = vectorNamed("rect 64x48: count, max");
  EXPECT_EQ(static_cast<long>(widths.size()), wanted[0]);
  EXPECT_EQ(*std::ranges::max_element(widths), wanted[1]);
  EXPECT_EQ(sum(widths), 64 * 48);
  EXPECT_EQ(tableWavefronts(3, 2), (std::vector<long>{1, 2, 2, 1}));
  EXPECT_EQ(tableWavefronts(1, 1), (std::vector<long>{1}));
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  EXPECT_NEAR(groupTime(1, 2, 1, 1e-6, 4e-6, false), 9e-6, 1e-18);
  EXPECT_NEAR(wavefrontTime(m, widths, 2, 9e-6) /
                  vectorNamed("Talg rect 64x48 GTX980 k=2 Ttile=9us").get<double>(),
              1, 1e-9);
}

TEST(Wavefront, TheBestNumberOfResidentTiles) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  const std::vector<long> widths = tableWavefronts(64, 48);
  const ResidentChoice best = bestResident(m, widths, 1, 32, 1e-6, 4e-6);
  for (long k = 1; k <= 32; ++k) {
    const double total = wavefrontTime(m, widths, k, groupTime(1, k, 1, 1e-6, 4e-6, false));
    EXPECT_LE(best.total, total * (1 + 1e-12)) << k;
    if (k == best.resident) {
      EXPECT_NEAR(best.total / total, 1, 1e-12);
    }
  }
}

TEST(Wavefront, PrintedTablesAreAsWideAsTheirWidest) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  const TableTime printed = tableTime(m, 4096, 3072, {64, 64, 8, 8}, 5e-9, 2, Mode::Printed);
  EXPECT_EQ(printed.widths, std::vector<long>(111, 48));
  EXPECT_NEAR(printed.total, 111 * (m.launch + 2 * printed.group), 1e-12); // 24 groups for 16 units: A.7
  EXPECT_NEAR(printed.transfer, 4.25 * 128 * m.secondsPerWord + 2 * m.barrier, 1e-18);
}

TEST(Wavefront, OfASkewedStencil) {
  const std::vector<long> widths = skewedWavefronts(65536, 1024, 512, 128);
  const auto &wanted = vectorNamed("J1D skewed S=65536 T=1024 tS=512 tT=128: wavefronts, max width, tiles");
  EXPECT_EQ(static_cast<long>(widths.size()), wanted[0]);
  EXPECT_EQ(*std::ranges::max_element(widths), wanted[1]);
  EXPECT_EQ(sum(widths), wanted[2]);
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  EXPECT_NEAR(wavefrontTime(m, widths, 2, 9e-6) /
                  vectorNamed("Talg of it, GTX980 k=2 Ttile=9us").get<double>(),
              1, 1e-9);
  const auto &hexagons = vectorNamed("same space, hexagons tS=512 tT=128: wavefronts, width");
  EXPECT_EQ(wavefronts(1024, 128), hexagons[0]);
  const long pitch = Hexagon{512, 128, 1}.pitch();
  EXPECT_EQ((65536 + pitch - 1) / pitch, hexagons[1]);
}

TEST(Wavefront, SkewedTilesCountedPointByPoint) {
  for (const auto &[extent, steps, width, height] :
       {std::tuple(50L, 17L, 7L, 4L), {5, 40, 3, 6}, {30, 1, 8, 8}, {1, 1, 1, 1}, {20, 9, 40, 2}}) {
    std::map<long, std::set<std::pair<long, long>>> tiles;
    for (long step = 0; step < steps; ++step)
      for (long place = 0; place < extent; ++place) {
        const long column = (place + step) / width, row = step / height;
        tiles[column + row].insert({column, row});
      }
    std::vector<long> wanted;
    for (const auto &[wavefront, those] : tiles)
      wanted.push_back(static_cast<long>(those.size()));
    EXPECT_EQ(skewedWavefronts(extent, steps, width, height), wanted);
  }
}

TEST(Wavefront, SubtilesOfATile) {
  StencilMachine m = stencilMachine(shipped("gtx980"));
  // 4 x 2 subtiles of 8 x 8: antidiagonals of 1 2 2 2 1, each one turn of 128 lanes.
  EXPECT_NEAR(subtiledCompute(m, {32, 16, 8, 8}, 1e-8), 5 * 64 * 1e-8 + 5 * m.barrier, 1e-15);
  m.lanes = 1;
  EXPECT_NEAR(subtiledCompute(m, {32, 16, 8, 8}, 1e-8), 32 * 16 * 1e-8 + 5 * m.barrier, 1e-15);
}

TEST(Wavefront, ATableTakesAtLeastTheIdealTime) {
  const StencilMachine m = stencilMachine(shipped("gtx980"));
  for (const long side : {64L, 256L, 1024L})
    for (const long sub : {1L, 8L, 64L}) {
      const TableTime t = tableTime(m, 4096, 4096, {side, side, sub, sub}, 5e-9);
      EXPECT_GE(t.total, t.ideal);
      EXPECT_EQ(sum(t.widths), (4096 / side) * (4096 / side));
    }
  EXPECT_THROW(tableTime(m, 4096, 4096, {10000, 10000, 8, 8}, 5e-9), Problem);
  EXPECT_THROW(tableTime(m, 4096, 4096, {64, 64, 128, 8}, 5e-9), Problem);
  EXPECT_THROW(tableTime(m, 0, 4096, {64, 64, 8, 8}, 5e-9), Problem);
  EXPECT_THROW(tableWavefronts(100'000'000, 100'000'000), Problem);
}

} // namespace
} // namespace pbc::model
