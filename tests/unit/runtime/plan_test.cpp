// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares pb_may_overlap with counting cells one by one; copies of views (runtime/abi/plan.h).
#include "runtime/abi/plan.h"
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

namespace {

using pb::Region;

template <class R>
std::set<const void *> cellsOf(const R &r) {
  std::set<const void *> out;
  for (int y = 0; y < r.height(); ++y)
    for (int x = 0; x < r.width(); ++x)
      out.insert(&r.cell(x, y));
  return out;
}

TEST(Overlap, OfBoxesOfOneMatrixIsExact) {
  const auto m = Region<double, 2>::allocate(9, 7);
  std::mt19937 random(1);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int meeting = 0;
  for (int k = 0; k < 20000; ++k) {
    const auto box = [&] {
      const int x = pick(0, 9), y = pick(0, 7);
      return m.region(x, y, pick(x, 9), pick(y, 7));
    };
    const auto a = box(), b = box();
    bool shared = false;
    const auto cells = cellsOf(a);
    for (const void *cell : cellsOf(b))
      shared = shared || cells.count(cell);
    meeting += shared;
    ASSERT_EQ(pb::mayOverlap(a, b), shared) << k;
    ASSERT_EQ(pb::overlaps(a, b), shared) << k;
  }
  EXPECT_GT(meeting, 1000);
}

TEST(Overlap, IsNeverDeniedWrongly) {
  const auto m = Region<double, 2>::allocate(6, 6);
  EXPECT_TRUE(pb::mayOverlap(m, m.transposed()));
  EXPECT_TRUE(pb::mayOverlap(m.row(2), m.column(3)));
  EXPECT_FALSE(pb::mayOverlap(m.row(2), m.row(3)));
  EXPECT_FALSE(pb::mayOverlap(m, Region<double, 2>::allocate(6, 6)));
  EXPECT_FALSE(pb::mayOverlap(m.region(0, 0, 0, 6), m));
}

TEST(Overlap, IsClaimedOnlyWhereItIsCertain) {
  const auto m = Region<double, 2>::allocate(6, 6);
  EXPECT_TRUE(pb::overlaps(m, m.transposed()));
  EXPECT_TRUE(pb::overlaps(m.row(0), m.column(0)));
  EXPECT_FALSE(pb::overlaps(m.column(0), m.region(1, 0, 6, 6)));
  EXPECT_FALSE(pb::overlaps(m.region(0, 0, 3, 3).transposed(), m.region(3, 0, 6, 3)));
  EXPECT_FALSE(pb::overlaps(m, Region<double, 2>::allocate(6, 6)));
  EXPECT_FALSE(pb::overlaps(m.region(0, 0, 0, 6), m));
}

TEST(CopyOf, KeepsTheCellsOfAnyView) {
  const auto m = Region<float, 3>::allocate(3, 4, 2);
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 3; ++x)
        m.cell(x, y, z) = static_cast<float>(x + 10 * y + 100 * z);
  const auto view = m.transposed().region(0, 1, 1, 2, 3, 3);
  const auto copy = pb::copyOf(view);
  EXPECT_FALSE(pb::mayOverlap(view, copy));
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 2; ++x)
        EXPECT_EQ(copy.cell(x, y, z), view.cell(x, y, z));
  EXPECT_EQ(copy.strides()[0], 1);
}

} // namespace
