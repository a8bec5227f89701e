// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares views as boxes with sets of bytes.
#include "runtime/device/lattice.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace pb::device::test {
namespace {

using Bytes = std::set<long>;

Bytes bytesOf(const View &v) {
  Bytes bytes;
  for (int d = 0; d < v.rank; ++d)
    if (v.extent[d] <= 0)
      return bytes;
  long c[AnyRegion::kMaxRank] = {};
  for (;;) {
    long at = v.offset;
    for (int d = 0; d < v.rank; ++d)
      at += c[d] * v.stride[d];
    for (int k = 0; k < v.elementBytes; ++k)
      bytes.insert(at + k);
    int d = 0;
    for (; d < v.rank && ++c[d] == v.extent[d]; ++d)
      c[d] = 0;
    if (d == v.rank)
      return bytes;
  }
}

Bytes bytesOf(const std::vector<Transfer> &transfers) {
  Bytes bytes;
  for (const Transfer &t : transfers)
    for (long p = 0; p < t.planes; ++p)
      for (long r = 0; r < t.rows; ++r)
        for (unsigned long k = 0; k < t.bytes; ++k) {
          const long at = static_cast<long>(t.offset + k) + p * t.planeStride + r * t.rowStride;
          EXPECT_TRUE(bytes.insert(at).second) << "byte " << at << " is copied twice";
        }
  return bytes;
}

const View matrixView{0, 8, 2, {8, 80}, {10, 6}};

TEST(Lattice, AViewIsABox) {
  Lattice lattice(8 * 640 * 480);
  const Cover c = lattice.cover({8 * 1283, 8, 2, {8, 5120}, {5, 4}}, {});
  EXPECT_TRUE(c.exact);
  ASSERT_EQ(c.cells.boxes().size(), 1u);
  const Box &b = c.cells.boxes()[0];
  EXPECT_EQ(b.low[0], 3);
  EXPECT_EQ(b.high[0], 8);
  EXPECT_EQ(b.low[1], 2);
  EXPECT_EQ(b.high[1], 6);
  const std::vector<Transfer> t = lattice.transfers(b);
  ASSERT_EQ(t.size(), 1u);
  EXPECT_EQ(t[0].offset, 10264u);
  EXPECT_EQ(t[0].bytes, 40u);
  EXPECT_EQ(t[0].rows, 4);
  EXPECT_EQ(t[0].rowStride, 5120);
}

TEST(Lattice, RowsThatFollowEachOtherAreOneTransfer) {
  Lattice lattice(480);
  lattice.cover({0, 8, 2, {8, 80}, {5, 6}}, {}); // refines
  const auto t = lattice.transfers(lattice.cover(matrixView, {}).cells);
  ASSERT_EQ(t.size(), 1u);
  EXPECT_EQ(t[0].bytes, 480u);
  EXPECT_EQ(t[0].rows, 1);
}

TEST(Lattice, TransposedIsTheSameBox) {
  Lattice lattice(480);
  const Cover a = lattice.cover({16, 8, 2, {8, 80}, {3, 4}}, {});
  const Cover b = lattice.cover({16, 8, 2, {80, 8}, {4, 3}}, {});
  EXPECT_TRUE(a.cells.covers(b.cells) && b.cells.covers(a.cells) && b.exact);
}

TEST(Lattice, StridesOfExtentOneDoNotCount) {
  Lattice lattice(480);
  const Cover c = lattice.cover({80, 8, 3, {8, 77777, 3}, {10, 1, 1}}, {});
  EXPECT_TRUE(c.exact);
  EXPECT_EQ(bytesOf(lattice.transfers(c.cells)), bytesOf(View{80, 8, 1, {8}, {10}}));
}

TEST(Lattice, RefiningConvertsWhatIsKnown) {
  Lattice lattice(480);
  BoxSet known = lattice.cover({0, 8, 1, {8}, {25}}, {}).cells; // two and a half rows, seen as one
  EXPECT_EQ(lattice.rank(), 1);
  const Cover row = lattice.cover({80, 8, 2, {8, 160}, {10, 2}}, {&known}); // rows 1 and 3
  EXPECT_TRUE(row.exact);
  EXPECT_GT(lattice.rank(), 1);
  EXPECT_EQ(bytesOf(lattice.transfers(known)), bytesOf(View{0, 8, 1, {8}, {25}}));
  EXPECT_EQ(bytesOf(lattice.transfers(known.intersected(row.cells))), bytesOf(View{80, 8, 1, {8}, {10}}));
}

TEST(Lattice, ElementsOfSeveralSizes) {
  Lattice lattice(480);
  BoxSet doubles = lattice.cover({0, 8, 1, {8}, {10}}, {}).cells;
  const Cover bytes = lattice.cover({4, 1, 1, {1}, {8}}, {&doubles});
  EXPECT_TRUE(bytes.exact);
  EXPECT_EQ(bytesOf(lattice.transfers(doubles.without(bytes.cells))).size(), 72u);
  const Cover apart = lattice.cover({4, 8, 1, {8}, {3}}, {&doubles}); // doubles that begin at odd floats
  EXPECT_TRUE(apart.exact);
  EXPECT_EQ(bytesOf(lattice.transfers(apart.cells)), bytesOf(View{4, 8, 1, {8}, {3}}));
}

TEST(Lattice, OverlappingViewsCountAsTheWhole) {
  Lattice lattice(480);
  const Cover c = lattice.cover({0, 8, 2, {8, 16}, {5, 5}}, {});
  EXPECT_FALSE(c.exact);
  EXPECT_EQ(bytesOf(lattice.transfers(c.cells)).size(), 480u);
  EXPECT_TRUE(lattice.cover({0, 8, 2, {8, 0}, {5, 5}}, {}).exact); // the same cells again: no overlap
}

TEST(Lattice, EmptyViews) {
  Lattice lattice(0);
  EXPECT_TRUE(lattice.cover({0, 8, 2, {8, 80}, {0, 6}}, {}).cells.isEmpty());
  EXPECT_TRUE(lattice.whole().isEmpty());
}

/// Random families of views on one storage: whatever the order, sets are the bytes of the views or, if a view
/// is not exact, all bytes.
TEST(Lattice, SetsAreBytes) {
  std::mt19937 random(5);
  const auto below = [&](long n) { return static_cast<long>(random() % static_cast<unsigned long>(n)); };
  int exact = 0, views = 0;
  for (int trial = 0; trial < 300; ++trial) {
    // A storage with padded rows and planes, as pb_strides_apart makes them.
    const long element = 1L << below(4), width = 1 + below(5), height = 1 + below(4), depth = 1 + below(3);
    const long row = (width + below(3)) * element, plane = row * height + element * below(4);
    const long size = below(2) ? plane * depth // or without the padding of the last row
                               : plane * (depth - 1) + row * (height - 1) + width * element;
    Lattice lattice(static_cast<unsigned long>(size));
    BoxSet set;
    Bytes bytes;
    for (int step = 0; step < 5; ++step) {
      View v{0, static_cast<int>(element), 3, {element, row, plane}, {}};
      const long full[] = {width, height, depth};
      for (int d = 0; d < 3; ++d) {
        const long low = below(full[d]);
        v.offset += low * v.stride[d];
        v.extent[d] = 1 + below(full[d] - low);
        if (below(4) == 0 && v.extent[d] > 1) // every second, or backwards
          v.stride[d] *= 2, v.extent[d] = (v.extent[d] + 1) / 2;
        else if (below(4) == 0)
          v.offset += (v.extent[d] - 1) * v.stride[d], v.stride[d] = -v.stride[d];
      }
      if (below(2))
        std::swap(v.stride[0], v.stride[1]), std::swap(v.extent[0], v.extent[1]);
      if (below(5) == 0 && element > 1) { // as bytes
        v.offset += below(2);
        v.elementBytes = 1;
      }
      const Cover c = lattice.cover(v, {&set});
      ++views;
      exact += c.exact;
      const Bytes is = bytesOf(lattice.transfers(c.cells)), asked = bytesOf(v);
      if (c.exact)
        ASSERT_EQ(is, asked);
      else
        ASSERT_EQ(is.size(), static_cast<std::size_t>(size / lattice.stride(0) * lattice.stride(0)));
      ASSERT_EQ(bytesOf(lattice.transfers(set)), bytes) << "trial " << trial;
      if (below(3)) {
        set.add(c.cells);
        bytes.insert(is.begin(), is.end());
      } else {
        set.subtract(c.cells);
        for (const long b : is)
          bytes.erase(b);
      }
      ASSERT_EQ(bytesOf(lattice.transfers(set)), bytes) << "trial " << trial;
    }
  }
  EXPECT_GT(exact, views * 8 / 10);
}

} // namespace
} // namespace pb::device::test
