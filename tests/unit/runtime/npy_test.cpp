// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/errors.h"
#include "runtime/matrix/reading.h"
#include "runtime/matrix/writing.h"
#include "tests/unit/runtime/process.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace pb;
using matrix::Matrix;

namespace {

/// A .npy file as numpy writes it: version 1, padded to 64.
std::string npy(const std::string &dictionary, const std::string &data, char version = 1) {
  std::string d = dictionary;
  const size_t lead = version == 1 ? 10 : 12;
  while ((lead + d.size() + 1) % 64)
    d += ' ';
  d += '\n';
  std::string out("\x93NUMPY", 6);
  out += version;
  out += '\0';
  out += static_cast<char>(d.size() & 255);
  out += static_cast<char>(d.size() >> 8);
  if (version > 1)
    out += std::string(2, '\0');
  return out + d + data;
}

template <class T>
std::string raw(std::initializer_list<T> values, bool swap = false) {
  std::string out;
  for (T v : values) {
    char b[sizeof(T)];
    std::memcpy(b, &v, sizeof(T));
    if (swap)
      std::reverse(b, b + sizeof(T));
    out.append(b, sizeof(T));
  }
  return out;
}

std::string dict(const std::string &descr, const std::string &shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

template <class T>
std::vector<T> values(const Matrix &m) {
  return {m.elements<T>(), m.elements<T>() + m.count()};
}

Matrix read(const std::string &content, ElementKind kind, int rank, const std::string &extents = "[w, h]") {
  Folder f;
  f.write("a.npy", content);
  return matrix::readMatrix(f.path("a.npy"), {"A", kind, rank, extents});
}

using D = std::vector<double>;
using E = std::vector<int>;

} // namespace

TEST(Npy, LastAxisIsDimensionZero) {
  const Matrix m = read(npy(dict("<f8", "(2, 3)"), raw<double>({1, 2, 3, 4, 5, 6})), ElementKind::F64, 2);
  EXPECT_EQ(m.extents(), (E{3, 2}));
  EXPECT_EQ(values<double>(m), (D{1, 2, 3, 4, 5, 6}));
}

TEST(Npy, FortranOrderGivesTheSameMatrix) {
  const Matrix m =
      read(npy(dict("<f8", "(2, 3)", true), raw<double>({1, 4, 2, 5, 3, 6})), ElementKind::F64, 2);
  EXPECT_EQ(m.extents(), (E{3, 2}));
  EXPECT_EQ(values<double>(m), (D{1, 2, 3, 4, 5, 6}));
}

TEST(Npy, BigEndianAndVersions2And3) {
  for (char version : {1, 2, 3}) {
    const Matrix m =
        read(npy(dict(">f8", "(3,)"), raw<double>({1, -2, 3.5}, true), version), ElementKind::F64, 1, "[n]");
    EXPECT_EQ(values<double>(m), (D{1, -2, 3.5}));
  }
}

TEST(Npy, TypesConvertWhereNothingIsLost) {
  auto as = [](const char *d, const std::string &data) {
    return values<double>(read(npy(dict(d, "(2,)"), data), ElementKind::F64, 1, "[n]"));
  };
  EXPECT_EQ(as("<f4", raw<float>({1, 2.5})), (D{1, 2.5}));
  EXPECT_EQ(as("|i1", raw<signed char>({-1, 2})), (D{-1, 2}));
  EXPECT_EQ(as("<i2", raw<short>({-300, 2})), (D{-300, 2}));
  EXPECT_EQ(as(">i2", raw<short>({-300, 2}, true)), (D{-300, 2}));
  EXPECT_EQ(as("<u2", raw<unsigned short>({65535, 2})), (D{65535, 2}));
  EXPECT_EQ(as("<i4", raw<int>({-70000, 2})), (D{-70000, 2}));
  EXPECT_EQ(as("<u4", raw<unsigned>({4000000000u, 2})), (D{4000000000.0, 2}));
  EXPECT_EQ(as("<i8", raw<long>({-70000, 2})), (D{-70000, 2}));
  EXPECT_EQ(as("<u8", raw<unsigned long>({70000, 2})), (D{70000, 2}));
  EXPECT_EQ(as("|u1", std::string("\xff\x01", 2)), (D{255, 1}));
  EXPECT_EQ(as("|b1", std::string("\x01\x00", 2)), (D{1, 0}));
  const Matrix ints =
      read(npy(dict("<f8", "(2,)"), raw<double>({-2147483648.0, 7})), ElementKind::I32, 1, "[n]");
  EXPECT_EQ(values<int>(ints), (std::vector<int>{-2147483647 - 1, 7}));
  EXPECT_EQ(
      values<long>(read(npy(dict("<i8", "(1,)"), raw<long>({-1l << 63})), ElementKind::I64, 1, "[n]"))[0],
      -1l << 63);
}

TEST(Npy, LossyConversionIsRefused) {
  auto message = [](const char *d, const std::string &data, ElementKind kind) -> std::string {
    try {
      read(npy(dict(d, "(2, 1)"), data), kind, 2);
    } catch (const base::UserError &e) {
      return std::string(e.what()).substr(std::string(e.what()).find(": ") + 2);
    }
    return "accepted";
  };
  EXPECT_EQ(message("<f8", raw<double>({1, 1.5}), ElementKind::I32),
            "element [0, 1] of A is 1.5, which 'int' cannot hold");
  EXPECT_EQ(message("<f8", raw<double>({3e9, 1}), ElementKind::I32),
            "element [0, 0] of A is 3000000000, which 'int' cannot hold");
  EXPECT_EQ(message("<f8", raw<double>({0.0 / 0.0, 1}), ElementKind::U8).substr(0, 15), "element [0, 0] ");
  EXPECT_EQ(message("<i4", raw<int>({256, 1}), ElementKind::U8),
            "element [0, 0] of A is 256, which 'byte' cannot hold");
  EXPECT_EQ(message("<i4", raw<int>({-1, 1}), ElementKind::U8),
            "element [0, 0] of A is -1, which 'byte' cannot hold");
  EXPECT_EQ(message("<f8", raw<double>({1e39, 1}), ElementKind::F32).substr(0, 20), "element [0, 0] of A ");
  EXPECT_EQ(message("<f8", raw<double>({INFINITY, 1}), ElementKind::F32), "accepted");
  EXPECT_NE(message("<u8", raw<unsigned long>({1ul << 63, 1}), ElementKind::I64), "accepted");
}

TEST(Npy, ZeroDimensionalAndEmpty) {
  EXPECT_EQ(values<double>(read(npy(dict("<f8", "()"), raw<double>({7})), ElementKind::F64, 0)), (D{7}));
  EXPECT_EQ(read(npy(dict("<f8", "(0, 5)"), ""), ElementKind::F64, 2).extents(), (E{5, 0}));
  EXPECT_EQ(read(npy(dict("<f8", "(2147483647, 0, 2147483647)", true), ""), ElementKind::F64, 3, "[a, b, c]")
                .count(),
            0);
}

TEST(Npy, GoldenHeader) {
  const Matrix m = Matrix::allocate(ElementKind::U8, {3, 2});
  const std::string h = matrix::npyHeader(m);
  EXPECT_EQ(h.size(), 128u);
  EXPECT_EQ(h.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(h.substr(10, 59), "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }");
  EXPECT_EQ(h.back(), '\n');
}

TEST(Npy, RoundTripOfEveryTypeAndRank) {
  const Folder f;
  for (ElementKind k :
       {ElementKind::F64, ElementKind::F32, ElementKind::I32, ElementKind::I64, ElementKind::U8})
    for (const E &extents : {E{}, E{4}, E{4, 3}, E{4, 3, 2}, E{4, 3, 2, 5}, E{0, 3}}) {
      const Matrix m = Matrix::allocate(k, extents);
      matrix::fillRandom(m, 3);
      matrix::OutputFile(f.path("x.npy"), extents, "").write(m);
      const Matrix back = matrix::readMatrix(f.path("x.npy"), {"A", k, m.rank(), "[..]"});
      EXPECT_EQ(back.extents(), extents);
      EXPECT_EQ(0, std::memcmp(m.data(), back.data(), static_cast<size_t>(m.bytes())));
    }
}
