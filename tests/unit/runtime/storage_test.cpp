// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/abi/region.h"
#include "runtime/base/errors.h"
#include "runtime/matrix/matrix.h"
#include "runtime/matrix/storage.h"
#include "runtime/matrix/storage_pool.h"
#include <cstdint>
#include <gtest/gtest.h>

using namespace pb;
using matrix::Matrix;

TEST(Storage, AlignedAndShared) {
  for (unsigned long bytes : {0ul, 1ul, 1000ul, 300'000ul, 10'000'000ul}) {
    void *data = nullptr;
    Storage *s = pb_storage_allocate(bytes, &data);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u);
    if (bytes)
      static_cast<char *>(data)[bytes - 1] = 1;
    pb_storage_retain(s);
    pb_storage_release(s);
    pb_storage_release(s);
  }
  matrix::emptyPool();
}

TEST(Storage, RegionsKeepItAlive) {
  Region<double, 1> row;
  {
    auto m = Region<double, 2>::allocate(300, 400);
    m.cell(299, 7) = 5;
    row = m.row(7);
  }
  EXPECT_EQ(row.cell(299), 5);
}

TEST(Storage, TooMuchEndsTheProgramWithAMessage) {
  void *data;
  EXPECT_EXIT(pb_storage_allocate(~0ul - 100, &data), testing::ExitedWithCode(1),
              "not enough memory for a matrix of");
}

TEST(MatrixTest, RegionHasXFastest) {
  const Matrix m = Matrix::allocate(ElementKind::F32, {3, 4, 5});
  const AnyRegion r = m.region();
  EXPECT_EQ(r.stride[0], 1);
  EXPECT_EQ(r.stride[1], 3);
  EXPECT_EQ(r.stride[2], 12);
  EXPECT_EQ(m.bytes(), 240);
}

TEST(MatrixTest, EmptyAndImpossibleExtents) {
  EXPECT_EQ(Matrix::allocate(ElementKind::F64, {2147483647, 2147483647, 2147483647, 0}).count(), 0);
  EXPECT_EQ(Matrix::allocate(ElementKind::F64, {2147483647, 2147483647, 2147483647, 0}).region().stride[3],
            1);
  EXPECT_EQ(Matrix::allocate(ElementKind::F64, {}).count(), 1);
  EXPECT_THROW(Matrix::allocate(ElementKind::F64, {2147483647, 2147483647}), base::UserError);
  EXPECT_THROW(Matrix::allocate(ElementKind::F64, {-1}), base::UserError);
}

TEST(MatrixTest, LeadingPart) {
  const Matrix m = Matrix::allocate(ElementKind::I32, {4, 3, 2});
  for (int i = 0; i < 24; ++i)
    m.elements<int>()[i] = i;
  const Matrix p = m.leading({2, 2, 2});
  const int expected[] = {0, 1, 4, 5, 12, 13, 16, 17};
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(p.elements<int>()[i], expected[i]);
  EXPECT_EQ(m.leading({0, 3, 2}).count(), 0);
}

TEST(MatrixTest, RandomInRangeAndRepeatable) {
  for (ElementKind k :
       {ElementKind::F64, ElementKind::F32, ElementKind::I32, ElementKind::I64, ElementKind::U8}) {
    const Matrix a = Matrix::allocate(k, {1000}), b = Matrix::allocate(k, {1000});
    matrix::fillRandom(a, 5);
    matrix::fillRandom(b, 5);
    matrix::withType(k, [&](auto zero) {
      using T = decltype(zero);
      for (long i = 0; i < 1000; ++i) {
        EXPECT_EQ(a.elements<T>()[i], b.elements<T>()[i]);
        EXPECT_TRUE(a.elements<T>()[i] >= T(0) &&
                    static_cast<double>(a.elements<T>()[i]) <= (matrix::isFloat(k) ? 0.99999999999 : 100));
      }
    });
  }
}

TEST(Storage, SlicesOfTemporariesLieApart) {
  const auto strides = [](std::initializer_list<int> extents, long *stride) {
    return pb_strides_apart(extents.begin(), static_cast<int>(extents.size()), 8, stride);
  };
  long s[4];
  EXPECT_EQ(strides({5, 3}, s), 15u); // short rows stay together
  EXPECT_EQ(s[1], 5);
  EXPECT_EQ(strides({1001, 7}, s), 1008u * 7); // rows begin lines
  strides({512, 100, 3}, s);
  EXPECT_NE(s[1] * 8 % 4096, 0); // and not all in one set of the cache
  for (const int w : {514, 600, 1000, 4096}) {
    const unsigned long count = strides({w, 66, 2}, s);
    EXPECT_GE(static_cast<long>(count), 2 * 66 * static_cast<long>(w));
    for (const long row : {-1, 0, 1}) { // of one version, and a row of the next: not the same place in a page
      const long apart = ((s[2] + row * s[1]) * 8 % 4096 + 4096) % 4096;
      EXPECT_GE(apart, 1024) << w;
      EXPECT_LE(apart, 3072) << w;
    }
  }
}

TEST(Storage, OfMemoryThatSomebodyElseOwns) {
  double mapping[6] = {1, 2, 3, 4, 5, 6};
  Region<double, 2> kept;
  {
    const Matrix m = Matrix::over(ElementKind::F64, {3, 2}, mapping);
    const AnyRegion r = m.region();
    ASSERT_NE(r.owner, nullptr); // else devices would not keep it
    EXPECT_EQ(matrix::storageData(r.owner), mapping);
    EXPECT_EQ(matrix::storageBytes(r.owner), sizeof mapping);
    kept = Region<double, 2>(r);
  }
  kept.cell(2, 1) = 7; // its header lives on
  kept = Region<double, 2>();
  EXPECT_EQ(mapping[5], 7); // and when it goes, the memory stays
}
