// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What calls of small transforms ask and copy (runtime/abi/small_calls.h).
#include "runtime/abi/small_calls.h"
#include <gtest/gtest.h>

namespace {

using pb::Region;

TEST(SmallCalls, ViewsMeetWhereTheyMayOverlap) {
  const auto m = Region<double, 2>::allocate(9, 7);
  for (int x = 0; x < 9; ++x)
    for (int y = 0; y < 7; ++y)
      for (const auto &other : {m.region(x, y, 9, 7), m.region(x, y, x, 7), m.region(0, 0, x, y)})
        EXPECT_EQ(pb::meet(m.region(3, 2, 6, 5), other), pb::mayOverlap(m.region(3, 2, 6, 5), other))
            << x << " " << y;
  EXPECT_TRUE(pb::meet(m, m.transposed()));
  EXPECT_FALSE(pb::meet(m.row(2), m.row(3)));
}

TEST(SmallCalls, ViewsBackwardsMeetToo) {
  const auto m = Region<double, 1>::allocate(8);
  const long back = -1;
  const int extent = 4;
  const Region<double, 1> last(&m.cell(7), &back, &extent); // the cells 7 to 4
  EXPECT_TRUE(pb::meet(last, m.region(4, 5)));
  EXPECT_FALSE(pb::meet(last, m.region(0, 4)));
}

TEST(SmallCalls, FewCellsAreCopied) {
  const auto m = Region<double, 2>::allocate(4, 3);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 4; ++x)
      m.cell(x, y) = 10 * y + x;
  Region<const double, 2> view = m.region(1, 0, 3, 3).transposed();
  pb::CellsHere<double, 2> copy;
  ASSERT_TRUE(copy.take(view));
  m.cell(1, 2) = -1;
  EXPECT_EQ(view.width(), 3);
  EXPECT_EQ(view.strides()[0], 1);
  EXPECT_EQ(view.cell(2, 0), 21);
  EXPECT_EQ(view.cell(1, 1), 12);
}

TEST(SmallCalls, ManyCellsAreNot) {
  const auto m = Region<double, 1>::allocate(513);
  Region<const double, 1> view = m;
  pb::CellsHere<double, 1> copy;
  EXPECT_FALSE(copy.take(view));
  EXPECT_EQ(view.elements(), m.elements());
}

} // namespace
