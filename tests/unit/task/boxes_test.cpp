// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Data-parallel loops (the task tree of forEachBox).
#include "runtime/abi/loops.h"
#include "runtime/task/scheduler.h"
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <random>
#include <stdexcept>
#include <vector>

using namespace pb;
using pb::task::Scheduler;

namespace {

struct Cover {
  Box box;
  Split split;
  mutable std::vector<std::atomic<unsigned char>> count;
  mutable std::atomic<long> parts = 0, wrong = 0;
};

long points(const Box &b) {
  long n = 1;
  for (int d = 0; d < b.rank; ++d)
    n *= std::max(0l, b.high[d] - b.low[d]);
  return n;
}

void visit(const void *context, const long *low, const long *high) {
  const auto &c = *static_cast<const Cover *>(context);
  c.parts.fetch_add(1);
  for (int d = 0; d < c.box.rank; ++d) {
    if (c.split.size[d] <= 0)
      c.wrong += low[d] != c.box.low[d] || high[d] != c.box.high[d];
    else {
      c.wrong += high[d] - low[d] > c.split.size[d];
      c.wrong += (low[d] - c.box.low[d]) % c.split.size[d] != 0;
    }
  }
  long at[5] = {};
  for (int d = 0; d < c.box.rank; ++d)
    at[d] = low[d];
  while (true) {
    long index = 0;
    for (int d = c.box.rank; d-- > 0;)
      index = index * (c.box.high[d] - c.box.low[d]) + at[d] - c.box.low[d];
    c.count[index].fetch_add(1, std::memory_order_relaxed);
    int d = 0;
    for (; d < c.box.rank && ++at[d] == high[d]; ++d)
      at[d] = low[d];
    if (d == c.box.rank)
      break;
  }
}

Job loop(const Cover *c) { co_await forEachBox(c->box, c->split, visit, c); }

void expectCovered(Scheduler &s, const Box &box, const Split &split, long parts) {
  Cover c{box, split, std::vector<std::atomic<unsigned char>>(points(box))};
  s.run(loop(&c));
  EXPECT_EQ(c.wrong, 0);
  EXPECT_EQ(c.parts, parts);
  long uncovered = 0;
  for (auto &n : c.count)
    uncovered += n.load() != 1;
  EXPECT_EQ(uncovered, 0);
}

TEST(Boxes, RandomBoxesAreCoveredOnce) {
  std::mt19937 random(1);
  const long longest[] = {1, 2000, 60, 20, 9, 6};
  for (int threads : {1, 2, 4}) {
    Scheduler s(threads);
    for (int trial = 0; trial < 100; ++trial) {
      Box box{static_cast<int>(random() % 6), {}, {}};
      Split split{};
      long parts = 1;
      for (int d = 0; d < box.rank; ++d) {
        box.low[d] = static_cast<long>(random() % 100) - 50;
        box.high[d] = box.low[d] + static_cast<long>(random() % (longest[box.rank] + 1));
        split.size[d] = static_cast<long>(random() % (longest[box.rank] + 1));
        long extent = box.high[d] - box.low[d];
        parts *= split.size[d] ? (extent + split.size[d] - 1) / split.size[d] : extent != 0;
      }
      expectCovered(s, box, split, parts);
    }
  }
}

TEST(Boxes, SmallOnesAreOneCallOnTheSpot) {
  Scheduler s(2);
  expectCovered(s, {2, {0, 0}, {10, 10}}, {{10, 10}}, 1);
  expectCovered(s, {0, {}, {}}, {}, 1);
  expectCovered(s, {1, {5}, {5}}, {{1}}, 0);
  expectCovered(s, {1, {5}, {3}}, {{1}}, 0);
}

TEST(Boxes, ExceptionsArriveAtTheLoop) { // 51
  Scheduler s(2);
  auto bad = [](const void *, const long *low, const long *) {
    if (low[0] >= 50)
      throw std::runtime_error("kernel");
  };
  bool caught = false;
  auto body = [&](long split) -> Job {
    try {
      co_await forEachBox({1, {0}, {100}}, {{split}}, bad, nullptr);
    } catch (const std::runtime_error &) {
      caught = true;
    }
  };
  s.run(body(10));
  EXPECT_TRUE(caught);
  caught = false;
  s.run(body(100));
  EXPECT_FALSE(caught);
}

TEST(SplitOf, PartsAreLongAlongXAndRespectTheGrain) {
  const pb::Box box{2, {0, 0}, {1000, 50}};
  const long grain[] = {256, 1};
  const pb::Split one = pb::splitOf(box, 5000, grain);
  EXPECT_EQ(one.size[0], 1024);
  EXPECT_EQ(one.size[1], 4);
  const pb::Split small = pb::splitOf(box, 2, grain);
  EXPECT_EQ(small.size[0], 256);
  EXPECT_EQ(small.size[1], 1);
}

TEST(SplitOf, PartsAreEvenAndAsManyForEachWorker) {
  const Scheduler two(2);
  const pb::Box box{2, {0, 0}, {1000, 992}};
  const long grain[] = {256, 1};
  EXPECT_EQ(pb::splitOf(box, 350'000, grain).size[1], 248) << "342 rows are three parts: four";
  EXPECT_EQ(pb::splitOf(box, 700'000, grain).size[1], 496) << "of two parts none is a remainder";
  EXPECT_EQ(pb::splitOf(box, 1'100'000, grain).size[1], 992) << "what is one part stays one";
  const long eight[] = {8};
  EXPECT_EQ(pb::splitOf({1, {0}, {1000}}, 400, eight).size[0], 256) << "the grain is respected";
}

TEST(SplitOf, PartsHaveWholeBlocksOfRows) {
  const pb::Box box{2, {0, 0}, {1492, 1000}};
  const long grain[] = {256, 4};
  for (const long cells : {4096, 8192, 16384, 20000, 200'000}) {
    const Scheduler two(2);
    EXPECT_EQ(pb::splitOf(box, cells, grain).size[1] % 4, 0) << cells;
    EXPECT_EQ(pb::squareSplitOf(box, cells, grain).size[1] % 4, 0) << cells;
  }
}

TEST(SplitOf, PartsAreNotCutForWorkersThatAreMoreThanTheyAre) {
  const Scheduler many(16);
  const long grain[] = {1};
  EXPECT_EQ(pb::splitOf({1, {0}, {1000}}, 400, grain).size[0], 334);
}

} // namespace
