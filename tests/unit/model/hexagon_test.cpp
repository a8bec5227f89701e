// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Hexagons, counted point by point.
#include "compiler/model/time/hexagon.h"
#include "compiler/model/time/whole.h"

#include "tests/unit/model/vectors.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace pbc::model {
namespace {

using Point = std::pair<long, long>; // step, place

struct Tiling {
  Hexagon hexagon;
  long extent, steps;
};

class HexagonTiling : public testing::TestWithParam<Tiling> {};

/// All points of the tile of wavefront 4, column 1, which is far from every border.
std::set<Point> insideTile(const Hexagon &h) {
  std::set<Point> points;
  for (long step = h.height; step < 2 * h.height; ++step)
    for (long place = -4 * h.pitch(); place < 4 * h.pitch(); ++place)
      if (hexagonOf(h, step, place) == HexagonPlace{4, 1})
        points.insert({step, place});
  return points;
}

TEST_P(HexagonTiling, TilesArePartsOfThePlane) {
  const Hexagon h = GetParam().hexagon;
  std::map<std::pair<long, long>, long> sizes;
  const long columns = 6, steps = 4 * h.height;
  // A box of whole periods: if tiles neither overlap nor leave a point out, each has its area.
  for (long step = 0; step < steps; ++step)
    for (long place = 0; place < columns * h.pitch(); ++place) {
      const HexagonPlace tile = hexagonOf(h, step, place);
      ++sizes[{tile.wavefront, tile.column}];
    }
  long whole = 0;
  for (const auto &[tile, size] : sizes) {
    EXPECT_LE(size, h.area());
    whole += size == h.area();
  }
  EXPECT_GE(whole, 7 * (columns - 2)); // 4 of one colour, 3 of the other
  EXPECT_EQ(2 * h.area(), h.pitch() * h.height);
}

TEST_P(HexagonTiling, APointNeedsOnlyItsOwnTileAndEarlierWavefronts) {
  const auto &[h, extent, steps] = GetParam();
  for (long step = 1; step < steps; ++step)
    for (long place = 0; place < extent; ++place) {
      const HexagonPlace mine = hexagonOf(h, step, place);
      for (long away = -h.radius; away <= h.radius; ++away) {
        const HexagonPlace other = hexagonOf(h, step - 1, place + away);
        ASSERT_TRUE(other == mine || other.wavefront < mine.wavefront)
            << step << ", " << place << " + " << away;
      }
    }
}

TEST_P(HexagonTiling, RowsAreAsWideAsStated) {
  const Hexagon h = GetParam().hexagon;
  const std::set<Point> tile = insideTile(h);
  EXPECT_EQ(static_cast<long>(tile.size()), h.area());
  std::map<long, long> widths;
  for (const Point &p : tile)
    ++widths[p.first - h.height];
  long widest = 0;
  for (const auto &[row, width] : widths) {
    EXPECT_EQ(width, h.width(row)) << "row " << row;
    widest = std::max(widest, width);
  }
  EXPECT_EQ(widest, h.widest());
}

TEST_P(HexagonTiling, WordsInAndOut) {
  const Hexagon h = GetParam().hexagon;
  const std::set<Point> tile = insideTile(h);
  std::set<Point> read, needed;
  for (const auto &[step, place] : tile)
    for (long away = -h.radius; away <= h.radius; ++away) {
      if (!tile.contains({step - 1, place + away}))
        read.insert({step - 1, place + away});
      if (!tile.contains({step + 1, place + away}))
        needed.insert({step, place});
    }
  EXPECT_EQ(static_cast<long>(read.size()), h.inputs());
  EXPECT_EQ(static_cast<long>(needed.size()), h.outputs());
}

TEST_P(HexagonTiling, WavefrontsAndTheirTiles) {
  const auto &[h, extent, steps] = GetParam();
  std::map<long, std::set<long>> columns;
  for (long step = 0; step < steps; ++step)
    for (long place = 0; place < extent; ++place) {
      const HexagonPlace tile = hexagonOf(h, step, place);
      columns[tile.wavefront].insert(tile.column);
    }
  EXPECT_EQ(static_cast<long>(columns.size()), exactWavefronts(steps, h.height));
  for (long wavefront = 0; wavefront <= exactWavefronts(steps, h.height) + 2; ++wavefront)
    EXPECT_EQ(tilesOfWavefront(h, extent, steps, wavefront), static_cast<long>(columns[wavefront].size()))
        << "wavefront " << wavefront;
}

INSTANTIATE_TEST_SUITE_P(Shapes, HexagonTiling,
                         testing::Values(Tiling{{3, 6, 1}, 61, 25}, Tiling{{4, 4, 1}, 50, 16},
                                         Tiling{{8, 8, 1}, 90, 19}, Tiling{{5, 6, 2}, 80, 20},
                                         Tiling{{1, 2, 1}, 17, 7}, Tiling{{3, 8, 3}, 120, 21},
                                         Tiling{{7, 2, 4}, 33, 5}, Tiling{{2, 12, 1}, 5, 40},
                                         Tiling{{6, 10, 2}, 40, 1}, Tiling{{2, 8, 2}, 40, 12}));

TEST(Hexagon, PrintedPitchLeavesPointsOut) {
  const Hexagon h{8, 16, 1};
  EXPECT_EQ(h.pitch(), 30);
  EXPECT_EQ(h.pitch(Mode::Printed), 32); // two hexagons have 2 * 240 of these 32 * 16 points
  EXPECT_LT(2 * h.area(), h.pitch(Mode::Printed) * h.height);
}

TEST(Hexagon, BasesNarrowerThanTheRadiusAreNotLegal) {
  const Hexagon h{1, 8, 3};
  int sameWavefront = 0;
  for (long place = 0; place < h.pitch(); ++place)
    for (long away = -h.radius; away <= h.radius; ++away) {
      const HexagonPlace mine = hexagonOf(h, 4, place), other = hexagonOf(h, 3, place + away);
      sameWavefront += other.wavefront == mine.wavefront && other.column != mine.column;
    }
  EXPECT_GT(sameWavefront, 0);
}

TEST(Hexagon, NumberOfWavefronts) {
  for (const auto &[steps, height] : {std::pair(1024L, 16L), {1000, 16}, {1008, 16}, {1023, 16}}) {
    const auto &figure =
        vectorNamed("Nw(T=" + std::to_string(steps) + ",tT=" + std::to_string(height) + ") approx/exact");
    EXPECT_EQ(wavefronts(steps, height), figure[0]);
    EXPECT_EQ(exactWavefronts(steps, height), figure[1]);
  }
}

TEST(Whole, SumsOfRoundedQuotients) {
  for (long count = 0; count < 9; ++count)
    for (long first = 0; first < 12; ++first)
      for (long step = 0; step < 14; ++step)
        for (long divisor = 1; divisor < 9; ++divisor) {
          long up = 0;
          for (long i = 0; i < count; ++i)
            up += roundedUp(first + i * step, divisor);
          ASSERT_EQ(sumRoundedUp(count, first, step, divisor), up)
              << count << ' ' << first << ' ' << step << ' ' << divisor;
        }
  EXPECT_EQ(roundedDown(-7, 2), -4);
  EXPECT_EQ(roundedUp(-7, 2), -3);
}

} // namespace
} // namespace pbc::model
