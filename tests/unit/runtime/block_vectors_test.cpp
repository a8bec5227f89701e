// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Blocks whose rows lie side by side in memory: each cell goes where it belongs, and none beyond the block is touched.
#include "runtime/abi/block_vectors.h"
#include <gtest/gtest.h>
#include <vector>

namespace pb {
namespace {

/// A block of R rows and V vectors of W lanes; rows go up (Down = 1) or down in memory, and the first `columns` columns are in it.
template <class T, int R, int V, int W, int Down>
void check(long columns) {
  constexpr long kApart = R + 3, kMargin = 2, kColumns = V * W;
  constexpr T kUntouched = -1;
  const auto value = [](int r, long x) { return static_cast<T>(100 * (r + 1) + x); };
  const auto place = [](int r, long x) { return kMargin + x * kApart + (Down > 0 ? r : R - 1 - r); };
  Vector<T, W> block[R][V];
  for (int r = 0; r < R; ++r)
    for (long x = 0; x < kColumns; ++x)
      block[r][x / W][x % W] = value(r, x);
  std::vector<T> memory(kMargin + kColumns * kApart, kUntouched), expected = memory;
  for (int r = 0; r < R; ++r)
    for (long x = 0; x < columns; ++x)
      expected[static_cast<std::size_t>(place(r, x))] = value(r, x);
  T *const first = memory.data() + place(0, 0);
  storeTurned<Down, true, T, R, V, W>(first, kApart, block, columns);
  EXPECT_EQ(memory, expected) << R << " rows, " << W << " lanes, " << columns << " columns";

  Vector<T, W> loaded[R][V];
  loadTurned<Down, true, T, R, V, W>(loaded, first, kApart, columns);
  for (int r = 0; r < R; ++r)
    for (long x = 0; x < columns; ++x)
      EXPECT_EQ(loaded[r][x / W][x % W], value(r, x))
          << R << " rows, " << W << " lanes, row " << r << ", column " << x;
  if (columns < kColumns)
    return;
  std::fill(memory.begin(), memory.end(), kUntouched);
  storeTurned<Down, false, T, R, V, W>(first, kApart, block, columns);
  EXPECT_EQ(memory, expected) << R << " rows, " << W << " lanes, whole";
}

template <class T, int R, int W>
void checkColumns() {
  for (long columns = 0; columns <= 3 * W; ++columns) {
    check<T, R, 3, W, 1>(columns);
    check<T, R, 3, W, -1>(columns);
  }
}

TEST(BlockVectors, RowsThatFitSeveralTimesIntoAVector) {
  checkColumns<float, 2, 4>();
  checkColumns<float, 4, 8>();
  checkColumns<float, 4, 16>();
  checkColumns<float, 8, 16>();
  checkColumns<double, 4, 8>();
}

TEST(BlockVectors, OtherNumbersOfRows) {
  checkColumns<float, 1, 4>();
  checkColumns<float, 6, 8>();
  checkColumns<double, 8, 8>();
  checkColumns<double, 3, 4>();
  checkColumns<float, 12, 8>();
}

/// Rows that are longer than what is read of them, further apart than they are long.
template <int N, int cells, class T>
void checkRows() {
  constexpr long kApart = cells + 5, kMargin = 3;
  std::vector<T> rows(kMargin + N * kApart, T(-1)), turned(N * cells), back = rows;
  for (long y = 0; y < N; ++y)
    for (long x = 0; x < cells; ++x)
      rows[static_cast<std::size_t>(kMargin + y * kApart + x)] = static_cast<T>(100 * y + x);
  loadRows<N, cells>(rows.data() + kMargin, rows.data() + kMargin + kApart, turned.data());
  for (long y = 0; y < N; ++y)
    for (long x = 0; x < cells; ++x)
      EXPECT_EQ(turned[static_cast<std::size_t>(x * N + y)], static_cast<T>(100 * y + x))
          << N << " rows of " << cells << ": row " << y << ", cell " << x;
  storeRows<N, cells>(back.data() + kMargin, back.data() + kMargin + kApart, turned.data());
  EXPECT_EQ(back, rows);
}

TEST(BlockVectors, RowsInArrays) {
  checkRows<8, 8, double>();
  checkRows<8, 4, double>();
  checkRows<8, 2, double>();
  checkRows<8, 8, float>();
  checkRows<8, 4, float>();
  checkRows<8, 8, int>();
  checkRows<8, 4, long>();
  checkRows<4, 4, double>();
}

TEST(BlockVectors, StripsHaveAsManyCellsAsVectors) {
  static_assert(kStripCells<char, 8> == 8);
  static_assert(kStripCells<double, 8> == (kVectorBytes < 64 ? kVectorBytes / 8 : 8));
  static_assert(kStripCells<float, 8> == (kVectorBytes < 32 ? kVectorBytes / 4 : 8));
}

} // namespace
} // namespace pb
