// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which matrices are stored past the caches. No cell is accessed here, so that large matrices need no memory.
#include "runtime/abi/streaming_stores.h"
#include <gtest/gtest.h>

namespace pb {
namespace {

using When = StreamingStores::When;

double begin[8];

Region<double, 2> matrix(double *cells, long width, long height) {
  const long strides[] = {1, width};
  const int extents[] = {static_cast<int>(width), static_cast<int>(height)};
  return Region<double, 2>(cells, strides, extents);
}

/// Rows of a million cells, more than the caches of this machine have.
Region<double, 2> large(double *cells) {
  constexpr long kWidth = 1 << 20;
  return matrix(cells, kWidth, 2 + (pb_cache_bytes(2) + pb_cache_bytes(3)) / (kWidth * long(sizeof(double))));
}

TEST(StreamingStores, AreForMatricesLargerThanTheCaches) {
  EXPECT_TRUE(StreamingStores(large(begin)).areUsed());
  EXPECT_FALSE(StreamingStores(matrix(begin, 1000, 10)).areUsed());
}

TEST(StreamingStores, NeedLongRows) { EXPECT_FALSE(StreamingStores(matrix(begin, 16, 1 << 28)).areUsed()); }

TEST(StreamingStores, AreNotForTheViewThatIsRead) {
  EXPECT_TRUE(StreamingStores(large(begin), When::Large, begin + 1, begin + 2).areUsed());
  EXPECT_FALSE(StreamingStores(large(begin), When::Large, begin + 1, begin).areUsed());
}

TEST(StreamingStores, AreForAnyMatrixWhereTheScheduleSaysAlways) {
  EXPECT_TRUE(StreamingStores(matrix(begin, 4, 2), When::Always, begin).areUsed());
}

} // namespace
} // namespace pb
