// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plans as tables (runtime/abi/loops.h).
#include "runtime/abi/loops.h"
#include "runtime/task/scheduler.h"
#include <atomic>
#include <gtest/gtest.h>

using namespace pb;
using pb::task::Scheduler;

namespace {

std::atomic<int> framesAlive{0};

struct Counted : Frame {
  Counted() { ++framesAlive; }
  ~Counted() { --framesAlive; }
  std::atomic<long> first{0}, second{0}, wrongOrder{0};
  bool entered = false, allocated = false;
};

Counted &counted(const void *frame) { return *static_cast<Counted *>(const_cast<void *>(frame)); }

void thousand(const Frame *, Box *box) {
  box->rank = 1;
  box->low[0] = 0;
  box->high[0] = 1000;
}

void nothing(const Frame *, Box *box) {
  box->rank = 1;
  box->low[0] = 3;
  box->high[0] = 3;
}

void first(const void *f, const long *low, const long *high) { counted(f).first += high[0] - low[0]; }

// Level 1, which must see all of level 0.
void second(const void *f, const long *low, const long *high) {
  counted(f).wrongOrder += counted(f).first != 2000;
  counted(f).second += high[0] - low[0];
}

void once(const void *f, const long *, const long *) { counted(f).second += 1; }

const LoopStep steps[] = {{&thousand, &first, {1}, 0, LoopOrder::Any},
                          {&thousand, &first, {1}, 0, LoopOrder::Any},
                          {&thousand, &second, {1}, 1, LoopOrder::Any},
                          {&nothing, &second, {1}, 1, LoopOrder::Any},
                          {nullptr, &once, {}, 2, LoopOrder::Any}};
const LoopPlan plans[] = {{nullptr, steps, 0}, {[](Frame *f) { counted(f).allocated = true; }, steps, 5}};
long cutoff = 0;
const LoopTransform transform = {[](Frame *f) {
                                   counted(f).entered = true;
                                   f->n = 10;
                                   f->split = 64;
                                   f->choice = 1;
                                 },
                                 [](Frame *f) { delete static_cast<Counted *>(f); }, &cutoff, plans};

TEST(Loops, LevelsRunInOrderAndEveryCellOnce) {
  for (const int threads : {1, 2, 4}) {
    Scheduler s(threads);
    Counted f;
    f.split = 10;
    s.run(runLoops(&f, steps, 5));
    EXPECT_EQ(f.first, 2000);
    EXPECT_EQ(f.second, 1001);
    EXPECT_EQ(f.wrongOrder, 0);
  }
}

TEST(Loops, OnTheSpotTheSame) {
  Counted f;
  runLoopsHere(&f, steps, 5);
  EXPECT_EQ(f.first, 2000);
  EXPECT_EQ(f.second, 1001);
  EXPECT_EQ(f.wrongOrder, 0);
}

TEST(Loops, ATransformEntersRunsItsPlanAndReleasesItsFrame) {
  static bool allocated = false, entered = false;
  static long sum = 0;
  LoopTransform watched = transform;
  watched.release = [](Frame *f) {
    allocated = counted(f).allocated;
    entered = counted(f).entered;
    sum = counted(f).second;
    delete static_cast<Counted *>(f);
  };
  Scheduler s(2);
  for (const long limit : {0L, 100L}) {
    cutoff = limit;
    allocated = entered = false;
    s.run(runTransform(new Counted, &watched));
    EXPECT_TRUE(entered);
    EXPECT_TRUE(allocated);
    EXPECT_EQ(sum, 1001);
  }
  cutoff = 0;
  EXPECT_EQ(framesAlive, 0);
}

TEST(Loops, AJobThatIsNeverStartedReleasesItsFrame) {
  {
    const Job dropped = runTransform(new Counted, &transform);
  }
  EXPECT_EQ(framesAlive, 0);
}

// A table of cells, each of which must be visited once, and after its lower neighbours in both dimensions.
struct Table : Frame {
  static constexpr long kWide = 60, kHigh = 45;
  std::atomic<int> visits[kHigh][kWide] = {};
  std::atomic<int> wrong{0};
};

void table(const Frame *, Box *box) { *box = {2, {5, 7}, {5 + Table::kWide, 7 + Table::kHigh}}; }

void visitAfterBoth(const void *f, const long *low, const long *high) {
  auto &t = *static_cast<Table *>(const_cast<void *>(f));
  for (long y = low[1] - 7; y < high[1] - 7; ++y)
    for (long x = low[0] - 5; x < high[0] - 5; ++x) {
      t.wrong += (x > 0 && t.visits[y][x - 1] != 1) || (y > 0 && t.visits[y - 1][x] != 1);
      ++t.visits[y][x];
    }
}

// Dimension 0 in rounds: the whole previous round must be complete.
void visitAfterRound(const void *f, const long *low, const long *high) {
  auto &t = *static_cast<Table *>(const_cast<void *>(f));
  for (long x = low[0] - 5; x < high[0] - 5; ++x)
    for (long y = low[1] - 7; y < high[1] - 7; ++y) {
      for (long other = 0; x > 0 && other < Table::kHigh; ++other)
        t.wrong += t.visits[other][x - 1] != 1;
      ++t.visits[y][x];
    }
}

TEST(Loops, WavefrontsAndRoundsKeepTheirOrder) {
  const LoopStep wave = {&table, &visitAfterBoth, {1, 1}, 0, LoopOrder::Wavefront};
  const LoopStep rounds = {&table, &visitAfterRound, {1, 1}, 0, LoopOrder::Rounds};
  for (const int threads : {1, 2, 4})
    for (const long split : {1L, 7L, 100L, 100000L})
      for (const LoopStep *step : {&wave, &rounds}) {
        Scheduler s(threads);
        Table t;
        t.split = split;
        s.run(runLoops(&t, step, 1));
        EXPECT_EQ(t.wrong, 0);
        for (const auto &row : t.visits)
          for (const auto &cell : row)
            ASSERT_EQ(cell, 1);
      }
}

TEST(Loops, WavefrontTilesLeaveRoomForParallelWork) {
  const Split large = wavefrontTiles({2, {0, 0}, {10000, 10000}}, 16384);
  EXPECT_EQ(large.size[0], 256);
  EXPECT_EQ(large.size[1], 64);
  const Split narrow = wavefrontTiles({2, {0, 0}, {40, 10000}}, 16384);
  EXPECT_EQ(narrow.size[0], 5);
}

// A plane of 10000 x 10000 doubles in two slots, 100 steps: x, t, y.
constexpr Box kLargePlane = {3, {0, 0, 0}, {10000, 100, 10000}};
constexpr TimeShape kLargePlaneShape = {16, {true, false, true}, {1, -1, 1}, {1, 0, 1}};

TEST(Loops, TimeTilesFillTheCache) {
  const Split tile = timeTiles(kLargePlane, kLargePlaneShape, 16384, 0, 786432, 2);
  EXPECT_EQ(tile.size[0], 1024);
  EXPECT_EQ(tile.size[2], 16);
  const auto touched = [&](long steps) { return (tile.size[0] + steps) * (tile.size[2] + steps) * 16; };
  EXPECT_LE(touched(tile.size[1]), 786432);
  EXPECT_GT(touched(tile.size[1] + 1), 786432);
  EXPECT_EQ(timeTiles(kLargePlane, kLargePlaneShape, 16384, 7, 786432, 2).size[1], 7); // as configured
}

TEST(Loops, TimeTilesOfSmallPlanesAreManyEnough) {
  const Box box = {3, {0, 0, 0}, {151, 100, 151}};
  const Split alone = timeTiles(box, kLargePlaneShape, 16384, 0, 786432, 1);
  EXPECT_EQ(alone.size[0], 250); // all of a row at all steps
  EXPECT_EQ(alone.size[2], 108); // 16384 / 151
  const Split shared = timeTiles(box, kLargePlaneShape, 16384, 0, 786432, 4);
  EXPECT_LT(shared.size[1] * shared.size[2], alone.size[1] * alone.size[2]);
  EXPECT_GE(shared.size[0], 125);
}

} // namespace
