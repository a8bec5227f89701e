// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares sets of boxes with sets of cells.
#include "runtime/device/box_set.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace pb::device::test {
namespace {

using Cell = std::vector<long>;
using CellSet = std::set<Cell>;

void addCells(const Box &b, CellSet &cells) {
  if (pb::isEmpty(b))
    return;
  Cell c(b.low, b.low + b.rank);
  for (;;) {
    cells.insert(c);
    int d = 0;
    for (; d < b.rank && ++c[static_cast<std::size_t>(d)] == b.high[d]; ++d)
      c[static_cast<std::size_t>(d)] = b.low[d];
    if (d == b.rank)
      return;
  }
}

CellSet cellsOf(const BoxSet &s) {
  CellSet cells;
  for (const Box &b : s.boxes())
    addCells(b, cells);
  return cells;
}

class RandomBoxes {
public:
  explicit RandomBoxes(int rank) : rank_(rank), random_(static_cast<unsigned>(rank) + 7) {}
  Box next() {
    Box b{rank_, {}, {}};
    const long size = rank_ > 3 ? 3 : 7;
    for (int d = 0; d < rank_; ++d) {
      b.low[d] = static_cast<long>(random_() % static_cast<unsigned>(size));
      b.high[d] = b.low[d] + static_cast<long>(random_() % static_cast<unsigned>(size)); // now and then empty
    }
    return b;
  }
  unsigned operator()() { return static_cast<unsigned>(random_()); }

private:
  const int rank_;
  std::mt19937 random_;
};

TEST(BoxSet, IsTheSetOfItsCells) {
  for (int rank = 1; rank <= 5; ++rank) {
    RandomBoxes boxes(rank);
    for (int trial = 0; trial < (rank > 3 ? 20 : 60); ++trial) {
      BoxSet set, other;
      CellSet cells, otherCells;
      for (int step = 0; step < 6; ++step) {
        const Box b = boxes.next();
        CellSet of;
        addCells(b, of);
        if (boxes() % 3) {
          set.add(b);
          cells.insert(of.begin(), of.end());
        } else {
          set.subtract(b);
          for (const Cell &c : of)
            cells.erase(c);
        }
        const Box o = boxes.next();
        other.add(o);
        addCells(o, otherCells);
        ASSERT_EQ(cellsOf(set), cells);
        ASSERT_EQ(set.cells(), static_cast<long>(cells.size())) << "boxes overlap";
      }
      CellSet both, rest;
      for (const Cell &c : cells)
        (otherCells.contains(c) ? both : rest).insert(c);
      EXPECT_EQ(cellsOf(set.intersected(other)), both);
      EXPECT_EQ(cellsOf(set.without(other)), rest);
      EXPECT_EQ(set.meets(other), !both.empty());
      EXPECT_EQ(set.covers(other), both.size() == otherCells.size());
      EXPECT_EQ(set.isEmpty(), cells.empty());
      EXPECT_TRUE(set.covers(set.intersected(other)));
    }
  }
}

TEST(BoxSet, RowsBecomeOneBox) {
  BoxSet set;
  for (const long y : {3, 0, 5, 1, 4, 2})
    set.add(Box{2, {0, y}, {100, y + 1}});
  EXPECT_EQ(set.boxes().size(), 1u);
  set.subtract(Box{2, {10, 2}, {20, 4}});
  EXPECT_EQ(set.boxes().size(), 4u);
  set.add(Box{2, {10, 2}, {20, 4}});
  EXPECT_EQ(set.boxes().size(), 1u);
}

TEST(BoxSet, QuadrantsBecomeOneBox) {
  BoxSet set;
  for (const long x : {0, 5})
    for (const long y : {0, 7})
      set.add(Box{2, {x, y}, {x + 5, y + 7}});
  EXPECT_EQ(set.boxes().size(), 1u);
}

TEST(BoxSet, APointHasACell) {
  BoxSet set(Box{0, {}, {}});
  EXPECT_FALSE(set.isEmpty());
  EXPECT_TRUE(set.covers(Box{0, {}, {}}));
  set.subtract(Box{0, {}, {}});
  EXPECT_TRUE(set.isEmpty());
}

} // namespace
} // namespace pb::device::test
