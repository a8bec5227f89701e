// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/errors.h"
#include "runtime/matrix/reading.h"
#include "runtime/matrix/writing.h"
#include "tests/unit/runtime/process.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace pb;
using matrix::Matrix;
using E = std::vector<int>;

namespace {

Matrix read(const std::string &text, int rank, ElementKind kind = ElementKind::F64) {
  Folder f;
  f.write("a.dat", text);
  return matrix::readMatrix(f.path("a.dat"), {"A", kind, rank, "[..]"});
}

Matrix of(const E &extents, std::initializer_list<double> values) {
  const Matrix m = Matrix::allocate(ElementKind::F64, extents);
  std::copy(values.begin(), values.end(), m.elements<double>());
  return m;
}

} // namespace

TEST(Text, ReadsTheExampleOfTheReference) {
  const Matrix m = read("SIZE 3 2\n   1    2    3\n   4    5    6\n\n", 2);
  EXPECT_EQ(m.extents(), (E{3, 2}));
  EXPECT_EQ(m.elements<double>()[4], 5);
}

TEST(Text, ExtentsBySpacesOrX) {
  EXPECT_EQ(read("size 3x2\n1 2 3 4 5 6", 2).extents(), (E{3, 2}));
  EXPECT_EQ(read(" Size 3 x 2 \r\n1 2 3\r\n4 5 6 \r\n", 2).extents(), (E{3, 2}));
  EXPECT_EQ(read("SIZE\n-7.5\n", 0).elements<double>()[0], -7.5);
  EXPECT_EQ(read("SIZE 0\n", 1).count(), 0);
}

TEST(Text, ReadsWhatPrintfWrites) {
  const Matrix m = read("SIZE 9\nnan -nan inf -inf +1.5 .5 1e-3 1e-999 -0", 1);
  const double *e = m.elements<double>();
  EXPECT_TRUE(std::isnan(e[0]) && std::isnan(e[1]));
  EXPECT_EQ(e[2], INFINITY);
  EXPECT_EQ(e[3], -INFINITY);
  EXPECT_EQ(e[4], 1.5);
  EXPECT_EQ(e[5], 0.5);
  EXPECT_EQ(e[6], 1e-3);
  EXPECT_EQ(e[7], 0);
  EXPECT_TRUE(e[8] == 0 && std::signbit(e[8]));
}

TEST(Text, IntegersAreExact) {
  EXPECT_EQ(read("SIZE 2\n9223372036854775807 1e3", 1, ElementKind::I64).elements<long>()[0],
            9223372036854775807l);
  EXPECT_THROW(read("SIZE 1\n1.5", 1, ElementKind::I32), base::UserError);
  EXPECT_THROW(read("SIZE 1\n256", 1, ElementKind::U8), base::UserError);
}

// The line ends below are those of the original's expected outputs for one, two and three dimensions.
TEST(Text, WritesAsTheOriginal) {
  EXPECT_EQ(matrix::encodeText(of({3}, {48375, 0.125, -1})), "SIZE 3\n48375 0.125   -1 \n\n");
  EXPECT_EQ(matrix::encodeText(of({2, 2}, {1, 2, 12345678.9, 4})),
            "SIZE 2 2\n   1    2 \n12345679    4 \n\n");
  EXPECT_EQ(matrix::encodeText(of({1, 2, 2}, {1, 2, 3, 4})),
            "SIZE 1 2 2\n   1 \n   2 \n\n   3 \n   4 \n\n\n");
  EXPECT_EQ(matrix::encodeText(of({}, {5})), "SIZE\n   5\n");
  EXPECT_EQ(matrix::encodeText(of({0}, {})), "SIZE 0\n\n");
}

TEST(Text, WrittenMatricesReadBack) {
  const Folder f;
  for (const E &extents : {E{}, E{4}, E{4, 3}, E{2, 3, 2}, E{0, 3}}) {
    const Matrix m = Matrix::allocate(ElementKind::I64, extents);
    matrix::fillRandom(m, 1);
    if (m.count())
      m.elements<long>()[0] = -1234567890123456789;
    matrix::OutputFile(f.path("m"), extents, "").write(m);
    const Matrix back = matrix::readMatrix(f.path("m"), {"A", ElementKind::I64, m.rank(), ""});
    EXPECT_EQ(back.extents(), extents);
    for (long i = 0; i < m.count(); ++i)
      EXPECT_EQ(m.elements<long>()[i], back.elements<long>()[i]);
  }
}
