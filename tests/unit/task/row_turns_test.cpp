// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops that take rows of a matrix in turn (runtime/abi/row_turns.h).
#include "runtime/abi/row_turns.h"
#include "runtime/base/caches.h"
#include "runtime/task/scheduler.h"
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <vector>

namespace pb::turns {
namespace {

using task::Scheduler;

/// Rows 0 to height - 1 of one loop, whose values are one less; columns of another one, cut along all rows and one behind them.
struct Image : Frame {
  long width = 0, height = 0;
  std::vector<std::atomic<int>> byRow;       // how often each row ran
  std::vector<std::atomic<long>> nextRow;    // by column: the row that must come next
  std::vector<std::pair<char, long>> blocks; // which loop began a block at which row
  std::mutex guard;
  std::atomic<int> wrong{0};

  Image(long w, long h) : width(w), height(h), byRow(std::size_t(h)), nextRow(std::size_t(w)) {}
};

Image &image(const void *frame) { return *static_cast<Image *>(const_cast<void *>(frame)); }

void boxOfRows(const Frame *f, Box *box) { *box = {1, {-1}, {image(f).height - 1}}; }

void boxOfColumns(const Frame *f, Box *box) { *box = {2, {0, 0}, {image(f).width, image(f).height + 1}}; }

void began(Image &i, char loop, long row) {
  const std::scoped_lock lock(i.guard);
  i.blocks.emplace_back(loop, row);
}

void rows(const void *f, const long *low, const long *high) {
  began(image(f), 'r', low[0] + 1);
  for (long v = low[0]; v < high[0]; ++v)
    ++image(f).byRow[std::size_t(v + 1)];
}

void columns(const void *f, const long *low, const long *high) {
  Image &i = image(f);
  began(i, 'c', low[1]);
  for (long x = low[0]; x < high[0]; ++x) {
    i.wrong += i.nextRow[std::size_t(x)] != low[1];
    i.nextRow[std::size_t(x)] = high[1];
  }
}

long bytesOfRow(const Frame *f) { return 8 * image(f).width; }

constexpr RowTurns::Loop loops[] = {{rows, boxOfRows, 0, 1, false}, {columns, boxOfColumns, 1, 0, true}};
constexpr RowTurns mixed = {bytesOfRow, loops, 2, 8};
constexpr RowTurns free_ = {bytesOfRow, loops, 1, 8};

Job run(const RowTurns &turns, const Frame *frame, long block, int workers) {
  co_await turnsInTasks(turns, frame, block, workers);
}

void expectAll(const Image &i, bool hasColumns) {
  for (const auto &times : i.byRow)
    EXPECT_EQ(times, 1);
  for (const auto &row : i.nextRow)
    EXPECT_EQ(row, hasColumns ? i.height + 1 : 0);
  EXPECT_EQ(i.wrong, 0);
}

TEST(RowTurns, TurnsOnTheCallingThread) {
  Image i(100, 40);
  takeTurns(mixed, &i, 16);
  expectAll(i, true);
  const std::vector<std::pair<char, long>> expected = {{'r', 0},  {'c', 0},  {'r', 16},
                                                       {'c', 16}, {'r', 32}, {'c', 32}};
  EXPECT_EQ(i.blocks, expected) << "what is behind the last row needs no block of its own";
}

TEST(RowTurns, EveryRowOnceInTasks) {
  for (const int workers : {1, 2, 3, 7})
    for (const long height : {1L, 7L, 64L, 1000L}) {
      Scheduler s(workers);
      Image both(1000, height), rowsOnly(1000, height);
      s.run(run(mixed, &both, 8, workers));
      expectAll(both, true);
      s.run(run(free_, &rowsOnly, 8, workers));
      expectAll(rowsOnly, false);
    }
}

TEST(RowTurns, NothingToDo) {
  Image i(0, 0);
  EXPECT_EQ(rowsInTurn(mixed, &i, 1), 0);
  takeTurns(mixed, &i, 8);
  expectAll(i, true);
}

TEST(RowTurns, WhereTheMatrixIsLargerThanTheCaches) {
  const long rows = pb_cache_bytes(2) / (8 * 512);
  EXPECT_EQ(rowsInTurn(mixed, std::make_unique<Image>(512, rows / 2).get(), 1), 0);
  const Image large(512, 8 * rows);
  const long block = rowsInTurn(mixed, &large, 1);
  EXPECT_GE(block, 8);
  EXPECT_EQ(block % 8, 0);
  EXPECT_LE(block * 8 * 512, pb_cache_bytes(2) / 2);
  const Image wide(pb_cache_bytes(2) + pb_cache_bytes(3), 1000);
  EXPECT_EQ(rowsInTurn(mixed, &wide, 1), 0) << "no block of eight rows stays in a cache";
}

TEST(RowTurns, AsAskedFor) {
  Image i(512, 100);
  i.turnBytes = 3 * 8 * 512;
  EXPECT_EQ(rowsInTurn(mixed, &i, 1), 3);
  i.turnBytes = 21 * 8 * 512;
  EXPECT_EQ(rowsInTurn(mixed, &i, 1), 16) << "rows that loops take together";
  i.turnBytes = 2;
  EXPECT_EQ(rowsInTurn(mixed, &i, 1), 1);
  i.turnBytes = 1;
  EXPECT_EQ(rowsInTurn(mixed, &i, 1), 0) << "never";
  i.turnBytes = 1L << 30;
  EXPECT_EQ(rowsInTurn(mixed, &i, 1), 0) << "all rows at once";
}

} // namespace
} // namespace pb::turns
