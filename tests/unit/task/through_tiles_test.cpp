// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sizes of the tiles in which `through` matrices are computed, and their buffers.
#include "runtime/abi/through_tiles.h"
#include "runtime/base/caches.h"
#include <cstring>
#include <gtest/gtest.h>

namespace {

using pb::Box;

constexpr long kTaps = 9;

struct Image : pb::Frame {
  long width = 0, height = 0;
};

// Out[x,y] from Rows[x, y..y+kTaps], one float each.
void rowsOfTile(const pb::Frame *frame, const long *low, const long *high, Box *cells, Box *points) {
  const auto &image = *static_cast<const Image *>(frame);
  const long extent[] = {image.width, image.height + kTaps - 1}, to[] = {high[0], high[1] + kTaps - 1};
  cells[0] = pb::noCells(2);
  pb::includeCells(&cells[0], low, to, extent);
  points[0] = cells[0];
}

constexpr pb::ThroughTiles kRows = {rowsOfTile, 1, 1, {sizeof(float)}};

pb::LoopStep step() {
  pb::LoopStep s{};
  s.through = &kRows;
  return s;
}

long bytesOf(const pb::Split &split) {
  return split.size[0] * (split.size[1] + kTaps - 1) * static_cast<long>(sizeof(float));
}

pb::Split tilesOf(long width, long height, long tileBytes, int workers) {
  Image image;
  image.width = width;
  image.height = height;
  image.tileBytes = tileBytes;
  return pb::throughTiles(step(), &image, Box{2, {0, 0}, {width, height}}, workers);
}

TEST(ThroughTiles, WhatFitsInTheCachesIsWhole) {
  EXPECT_TRUE(pb::isWhole(tilesOf(64, 64, 0, 1)));
  const long width = 4096, height = 1L << 14; // 256 MB
  EXPECT_FALSE(pb::isWhole(tilesOf(width, height, 0, 1)));
}

TEST(ThroughTiles, TilesFitInTheCacheAndRepeatLittle) {
  const pb::Split tile = tilesOf(4096, 1L << 14, 0, 2);
  EXPECT_LE(bytesOf(tile), pb::pb_cache_bytes(2) / 2);
  EXPECT_LE(static_cast<double>(tile.size[1] + kTaps - 1), 1.12 * static_cast<double>(tile.size[1]));
  EXPECT_GE(tile.size[0], 256);
}

TEST(ThroughTiles, AsManyBytesAsAskedFor) {
  const pb::Split tile = tilesOf(40, 40, 2000, 1);
  EXPECT_LE(bytesOf(tile), 2000);
  EXPECT_EQ(tile.size[0], 40); // whole rows while they fit
  const pb::Split narrow = tilesOf(1000, 40, 200, 1);
  EXPECT_LE(bytesOf(narrow), 200);
  EXPECT_TRUE(pb::isWhole(tilesOf(40, 40, 1, 1))) << "no cell fits";
}

TEST(ThroughTiles, WorkersGetAboutTheSame) {
  for (const int workers : {2, 3, 4})
    for (const long height : {3000L, 100'000L}) {
      const pb::Split tile = tilesOf(1024, height, 1L << 19, workers);
      const long tiles = (height + tile.size[1] - 1) / tile.size[1];
      const long most = (tiles + workers - 1) / workers * tile.size[1];
      EXPECT_LE(static_cast<double>(most * workers), 1.05 * static_cast<double>(height))
          << tile.size[0] << " x " << tile.size[1];
    }
}

TEST(ThroughTiles, WholeIfTilesReadMoreAgain) {
  constexpr long kWidth = 4096, kHeight = 1L << 14;
  static constexpr long kCells = kWidth * (kHeight + kTaps - 1) * static_cast<long>(sizeof(float));
  Image image;
  image.width = kWidth, image.height = kHeight;
  pb::LoopStep s{};
  const auto isWhole = [&](const pb::ThroughTiles &tiles) {
    s.through = &tiles;
    return pb::isWhole(pb::throughTiles(s, &image, Box{2, {0, 0}, {kWidth, kHeight}}, 1));
  };
  pb::ThroughTiles reading = kRows;
  reading.again = [](const pb::Frame *) { return 64L; };
  EXPECT_FALSE(isWhole(reading)) << "a line for each tile";
  reading.again = [](const pb::Frame *) { return kCells; };
  EXPECT_TRUE(isWhole(reading)) << "as much as the matrix, for each of many tiles";
  image.tileBytes = 1L << 19;
  EXPECT_FALSE(isWhole(reading)) << "tiles are asked for";
}

TEST(ThroughTiles, NothingToDo) {
  EXPECT_TRUE(pb::isWhole(tilesOf(0, 40, 0, 1)));
  EXPECT_TRUE(pb::isWhole(tilesOf(40, 0, 64, 1)));
}

TEST(ThroughTiles, CellsOutsideAreLeftOut) {
  Box cells = pb::noCells(2);
  EXPECT_TRUE(pb::isEmpty(cells));
  const long extent[] = {10, 5};
  const long outside[] = {10, 0}, outsideEnd[] = {12, 5};
  pb::includeCells(&cells, outside, outsideEnd, extent);
  EXPECT_TRUE(pb::isEmpty(cells));
  const long low[] = {-1, 2}, high[] = {3, 9};
  pb::includeCells(&cells, low, high, extent);
  EXPECT_EQ(cells.low[0], 0);
  EXPECT_EQ(cells.high[0], 3);
  EXPECT_EQ(cells.low[1], 2);
  EXPECT_EQ(cells.high[1], 5);
}

TEST(ThroughTiles, BuffersAreIndexedLikeTheMatrixAndApart) {
  constexpr pb::ThroughTiles two = {nullptr, 2, 0, {sizeof(double), 1}};
  const Box cells[] = {{2, {1000, 7}, {1010, 10}}, {1, {5}, {25}}};
  pb::TileRegion regions[2];
  pb::tileRegions(two, cells, regions);
  auto *doubles = static_cast<double *>(regions[0].base);
  auto *bytes = static_cast<unsigned char *>(regions[1].base);
  for (long y = 7; y < 10; ++y)
    for (long x = 1000; x < 1010; ++x)
      doubles[x + y * regions[0].stride[1]] = static_cast<double>(x + 100 * y);
  std::memset(bytes + 5, 1, 20);
  for (long y = 7; y < 10; ++y)
    for (long x = 1000; x < 1010; ++x)
      EXPECT_EQ(doubles[x + y * regions[0].stride[1]], static_cast<double>(x + 100 * y));
}

} // namespace
