// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils in time: every point is computed once, after those that it needs, whatever the shape and size of
// the tiles; and how large the tiles are.
#include "runtime/abi/loops.h"
#include "runtime/task/scheduler.h"
#include "runtime/task/tile_grid.h"
#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>

using namespace pb;
using pb::task::Scheduler;

namespace {

// Places [z0, z0 + size) in up to three dimensions, steps [t0, t0 + steps). At step t a point needs, at t -
// 1, the points up to `left` below and up to `right` above it, and overwrites what they read at t - 2.
struct Stencil {
  Box box = {};
  TimeShape shape = {};
  int time = 0;
  long left = 1, right = 1, down = 1;
  std::unique_ptr<std::atomic<long>[]> done; // steps that each cell has taken
  std::atomic<long> wrong{0}, calls{0};

  /// `sizes`: those of the places; `time`: the dimension of time. Both slopes are those that the dependences
  /// above require.
  Stencil(std::initializer_list<long> sizes, int timeDimension, long steps, long l = 1, long r = 1)
      : time(timeDimension), left(l), right(r), down(std::max(l, r)) {
    box.rank = static_cast<int>(sizes.size()) + 1;
    shape.bytes = 16;
    auto size = sizes.begin();
    for (int d = 0; d < box.rank; ++d) {
      shape.isPlace[d] = d != time;
      shape.along[d] = d == time ? -1 : time;
      shape.slope[d] = d == time ? 0 : std::max(l, r);
      box.low[d] = d == time ? 3 : -2 + d;
      box.high[d] = box.low[d] + (d == time ? steps : *size++);
    }
    done = std::make_unique<std::atomic<long>[]>(static_cast<std::size_t>(cells()));
  }

  void asDiamonds(int place) {
    shape.diamond = place;
    shape.down = down;
  }

  long cells() const {
    long all = 1;
    for (int d = 0; d < box.rank; ++d)
      all *= d == time ? 1 : box.high[d] - box.low[d];
    return all;
  }

  std::atomic<long> &at(const long *point) const {
    long index = 0;
    for (int d = 0; d < box.rank; ++d)
      if (d != time)
        index = index * (box.high[d] - box.low[d]) + point[d] - box.low[d];
    return done[static_cast<std::size_t>(index)];
  }

  void point(long *p) {
    const long steps = p[time] - box.low[time];
    wrong += at(p) != steps;
    for (int d = 0; d < box.rank; ++d)
      for (long by = -left; d != time && by <= right; ++by) {
        const long middle = p[d];
        p[d] += by;
        if (by != 0 && p[d] >= box.low[d] && p[d] < box.high[d]) {
          wrong += at(p) < steps; // what is read
          p[d] = middle - by;     // a point that reads this one
          if (p[d] >= box.low[d] && p[d] < box.high[d])
            wrong += at(p) < steps - 1;
        }
        p[d] = middle;
      }
    ++at(p);
  }

  void visit(const long *low, const long *high, long *p, int d) {
    if (d == box.rank)
      return point(p);
    const int k = d == 0 ? time : d <= time ? d - 1 : d; // steps outermost
    for (p[k] = low[k]; p[k] < high[k]; ++p[k])
      visit(low, high, p, d + 1);
  }

  static void kernel(const void *context, const long *low, const long *high) {
    auto &s = *static_cast<Stencil *>(const_cast<void *>(context));
    ++s.calls;
    for (int d = 0; d < s.box.rank; ++d)
      s.wrong += low[d] < s.box.low[d] || high[d] > s.box.high[d] || low[d] >= high[d];
    long p[5];
    s.visit(low, high, p, 0);
  }

  void expectDone(const char *how, const Split &tile) {
    EXPECT_EQ(wrong, 0) << how << ", tiles of " << tile.size[0] << " x " << tile.size[1];
    for (long c = 0; c < cells(); ++c)
      ASSERT_EQ(done[static_cast<std::size_t>(c)], box.high[time] - box.low[time]) << how << ", cell " << c;
  }
};

/// `make` makes a stencil in parallelograms; `place`: the place dimension of its diamonds.
template <class Make>
void keepsItsOrder(const Make &make, int place) {
  for (const long n : {1L, 2L, 3L, 7L, 16L, 100L})
    for (const bool isDiamond : {false, true})
      for (const int threads : {0, 1, 2, 3}) {
        auto s = make();
        if (isDiamond)
          s->asDiamonds(place);
        Split tile{};
        for (int d = 0; d < s->box.rank; ++d)
          tile.size[d] = d % 2 ? n : n / 2 + 1;
        if (isDiamond)
          tile.size[place] = tile.size[s->time] = n;
        if (threads == 0)
          runTimeTiles(s->box, s->shape, tile, &Stencil::kernel, s.get());
        else
          Scheduler(threads).run(timeWavefront(s->box, s->shape, tile, &Stencil::kernel, s.get()));
        s->expectDone(isDiamond ? "diamonds" : "parallelograms", tile);
      }
}

TEST(TimeTiles, OneDimension) {
  keepsItsOrder([] { return std::make_unique<Stencil>(std::initializer_list<long>{57}, 1, 20L); }, 0);
}
TEST(TimeTiles, MoreStepsThanCells) {
  keepsItsOrder([] { return std::make_unique<Stencil>(std::initializer_list<long>{5}, 1, 90L); }, 0);
}
TEST(TimeTiles, OneCell) {
  keepsItsOrder([] { return std::make_unique<Stencil>(std::initializer_list<long>{1}, 1, 9L); }, 0);
}
TEST(TimeTiles, TwoDimensions) {
  keepsItsOrder([] { return std::make_unique<Stencil>(std::initializer_list<long>{13, 9}, 1, 8L); }, 2);
}
TEST(TimeTiles, TimeLast) {
  keepsItsOrder([] { return std::make_unique<Stencil>(std::initializer_list<long>{9, 13}, 2, 8L); }, 0);
}
TEST(TimeTiles, ThreeDimensions) {
  keepsItsOrder([] { return std::make_unique<Stencil>(std::initializer_list<long>{7, 3, 8}, 1, 5L); }, 3);
}
TEST(TimeTiles, Steeper) {
  keepsItsOrder([] { return std::make_unique<Stencil>(std::initializer_list<long>{41}, 1, 12L, 2L, 2L); }, 0);
}

// The two slopes may differ.
TEST(TimeTiles, DifferentSlopes) {
  for (const long up : {1L, 2L, 3L})
    for (const long down : {1L, 2L, 3L})
      keepsItsOrder(
          [=] {
            auto s = std::make_unique<Stencil>(std::initializer_list<long>{33}, 1, 14L);
            s->shape.slope[0] = up;
            s->down = down;
            return s;
          },
          0);
}

TEST(TimeTiles, NothingToDo) {
  for (const bool isDiamond : {false, true}) {
    Stencil none({0}, 1, 5), never({5}, 1, 0);
    for (Stencil *s : {&none, &never}) {
      if (isDiamond)
        s->asDiamonds(0);
      Scheduler(2).run(timeWavefront(s->box, s->shape, {{4, 4}}, &Stencil::kernel, s));
      EXPECT_EQ(s->calls, 0);
    }
  }
}

// Steps with the same places are one call.
TEST(TimeTiles, WholeStepsAreOneCall) {
  for (const bool isDiamond : {false, true}) {
    Stencil s({10}, 1, 200);
    if (isDiamond)
      s.asDiamonds(0);
    runTimeTiles(s.box, s.shape, {{1000, 1000}}, &Stencil::kernel, &s);
    EXPECT_LE(s.calls, 2);
  }
}

// In diamonds, the first layer waits for nothing, and each later one only for the one before it.
TEST(TimeTiles, DiamondsStartAtOnce) {
  Stencil s({1000}, 1, 100);
  s.asDiamonds(0);
  const TileGrid grid(s.box, &s.shape, {{50, 50}});
  EXPECT_EQ(grid.count(0), 21); // 20, and one that begins before the first cell
  EXPECT_EQ(grid.count(1), 5);  // half of one, 3 whole steps of 25, what is left
  for (long column = 0; column < grid.count(0); ++column) {
    long first[5] = {column, 0}, second[5] = {column, 0};
    EXPECT_FALSE(grid.previous(first, 0));
    EXPECT_FALSE(grid.previous(second, 1));
  }
  long tile[5] = {7, 2}, left[5] = {7, 2};
  EXPECT_TRUE(grid.previous(tile, 0));
  EXPECT_TRUE(grid.previous(left, 1));
  EXPECT_EQ(tile[1], 1);
  EXPECT_EQ(left[1], 1);
  EXPECT_EQ(std::abs(tile[0] - left[0]), 1);
}

// A plane of 10000 x 10000 doubles in two slots, 100 steps: x, t, y.
constexpr Box kPlane = {3, {0, 0, 0}, {10000, 100, 10000}};
constexpr TimeShape kInDiamonds = {16, {true, false, true}, {1, -1, 1}, {1, 0, 1}, 2, 1};

TEST(TimeTiles, DiamondsFillTheCache) {
  const Split tile = timeTiles(kPlane, kInDiamonds, 16384, 0, 786432, 2);
  EXPECT_EQ(tile.size[0], 1024);
  EXPECT_EQ(tile.size[1], tile.size[2]);
  const auto touched = [&](long side) { return (tile.size[0] + side) * side * 16; };
  EXPECT_LE(touched(tile.size[2]), 786432);
  EXPECT_GT(touched(tile.size[2] + 1), 786432);
  EXPECT_EQ(timeTiles(kPlane, kInDiamonds, 16384, 7, 786432, 2).size[1], 7); // steps, as configured
}

TEST(TimeTiles, DiamondsOfShortRowsAreManyEnough) {
  const Box bar = {2, {0, 0}, {100000, 10000}};
  const TimeShape shape = {16, {true, false}, {1, -1}, {1, 0}, 0, 1};
  const Split alone = timeTiles(bar, shape, 16384, 0, 786432, 1);
  EXPECT_EQ(alone.size[0], 16384);
  const Split shared = timeTiles(bar, shape, 16384, 0, 786432, 4);
  EXPECT_GE(TileGrid(bar, &shape, shared).count(0), 16);
  EXPECT_EQ(shared.size[0], shared.size[1]);
  // Rows that take less time than a call are not cut further.
  EXPECT_GE(timeTiles({2, {0, 0}, {200, 100000}}, shape, 16384, 0, 786432, 4).size[0], 512);
}

// More steps than places: tiles that move with the steps leave them soon, and most would be empty.
TEST(TimeTiles, FewPlacesAreOneTileAtAllSteps) {
  constexpr Box kSmall = {3, {0, 0, 0}, {20, 100000, 20}};
  constexpr TimeShape kMoving = {16, {true, false, true}, {1, -1, 1}, {1, 0, 1}};
  for (const int workers : {1, 4}) {
    const Split tile = timeTiles(kSmall, kMoving, 16384, 0, 786432, workers);
    EXPECT_EQ(TileGrid(kSmall, &kMoving, tile).tiles(), 1) << workers;
  }
  const Box narrow = {3, {0, 0, 0}, {7, 1000, 100000}};
  EXPECT_EQ(TileGrid(narrow, &kMoving, timeTiles(narrow, kMoving, 16384, 0, 786432, 1)).count(0), 1);
}

TEST(TimeTiles, BandsOfStepsHaveFewEmptyTiles) {
  constexpr TimeShape kMoving = {24, {true, true, false, true}, {2, 2, -1, 2}, {1, 1, 0, 1}};
  for (const long places : {50L, 200L}) {
    const long steps = 20 * places;
    Box rest = {4, {0, 0, 0, 0}, {places, places, steps, places}}, band;
    double tiles = 0, cells = 0;
    while (takeBand(rest, kMoving, 16384, band)) {
      const Split tile = timeTiles(band, kMoving, 16384, 0, 786432, 1);
      tiles += static_cast<double>(TileGrid(band, &kMoving, tile).tiles());
      cells = 1;
      for (int d = 0; d < 4; ++d)
        cells *= static_cast<double>(d == 2 ? tile.size[d] : std::min(tile.size[d], places));
    }
    EXPECT_LT(tiles * cells, 64 * static_cast<double>(places * places * places * steps)) << places;
  }
}

TEST(TimeTiles, BandsKeepTheOrderOfSteps) {
  for (const bool isDiamond : {false, true})
    for (const int threads : {0, 2}) {
      Stencil s({23, 31}, 1, 400);
      if (isDiamond)
        s.asDiamonds(2);
      int bands = 0;
      for (Box rest = s.box, band; takeBand(rest, s.shape, 64, band); ++bands) {
        const Split tile = timeTiles(band, s.shape, 64, 0, 1000, std::max(1, threads));
        if (threads == 0)
          runTimeTiles(band, s.shape, tile, &Stencil::kernel, &s);
        else
          Scheduler(threads).run(timeWavefront(band, s.shape, tile, &Stencil::kernel, &s));
      }
      EXPECT_EQ(bands, 5); // of 93 steps, three for each row
      s.expectDone("bands", {{0, 0, 0}});
    }
}

} // namespace
