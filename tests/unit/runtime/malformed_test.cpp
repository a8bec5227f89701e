// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files with false headers: each gives one clear message, no crash, and no memory is allocated because of a
// header.
#include "runtime/base/errors.h"
#include "runtime/matrix/reading.h"
#include "runtime/matrix/writing.h"
#include "tests/unit/runtime/process.h"
#include <gtest/gtest.h>

using namespace pb;

namespace {

/// The message without the folder; "accepted" if there is none.
std::string message(const std::string &name, const std::string &content, int rank = 2,
                    ElementKind kind = ElementKind::F64) {
  static const Folder f; // one for all: making folders is slow
  f.write(name, content);
  try {
    matrix::readMatrix(f.path(name), {"A", kind, rank,
                                      rank == 1   ? "[n]"
                                      : rank == 2 ? "[w, h]"
                                                  : "[a, b, c]"});
  } catch (const base::UserError &e) {
    std::string text = e.what();
    const size_t at = text.find(f.path(""));
    if (at != text.npos)
      text.erase(at, f.path("").size());
    return text;
  }
  return "accepted";
}

std::string malformedNpy(const std::string &dictionary, const std::string &data = "") {
  std::string h = dictionary + "\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(h.size()) + '\0' + h + data;
}

} // namespace

TEST(Malformed, Npy) {
  EXPECT_EQ(message("a.npy", ""), "a.npy: is empty, expected the matrix A[w, h]");
  EXPECT_EQ(message("a.npy", "hello"), "a.npy: expected a .npy file, found one that begins with 'hello'");
  EXPECT_EQ(message("a.npy", std::string("\x93NUMPY\x09\x00\x00\x00", 10)),
            "a.npy: is a .npy file of version 9, expected 1 to 3");
  EXPECT_EQ(message("a.npy", std::string("\x93NUMPY\x01\x00\xff\xff{}", 12)),
            "a.npy: the .npy header is cut off: 65535 bytes announced, 2 there");
  EXPECT_EQ(
      message("a.npy", malformedNpy("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }", "12345678")),
      "a.npy: expected 2 dimensions for A[w, h], found 1 (shape (4,))");
  EXPECT_EQ(message("a.npy",
                    malformedNpy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", "12345678")),
            "a.npy: shape (1, 2) of '<f8' needs more bytes than the 8 that follow the header (is the file "
            "cut off?)");
  EXPECT_EQ(message("a.npy",
                    malformedNpy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", "123456789")),
            "a.npy: shape (1, 1) of '<f8' needs fewer bytes than the 9 that follow the header");
  EXPECT_EQ(
      message("a.npy",
              malformedNpy("{'descr': '<c16', 'fortran_order': False, 'shape': (1, 1), }", "123456789")),
      "a.npy: elements of type '<c16' cannot be read (floats f4 f8, integers i1 to i8 and u1 to u8, and bool "
      "can)");
  EXPECT_EQ(
      message("a.npy", malformedNpy("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1, 1), }",
                                    "12345678")),
      "a.npy: the .npy header is not understood (expected a plain array, not a structure of fields)");
  EXPECT_EQ(
      message("a.npy", malformedNpy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 1), }")),
      "a.npy: shape (99999999999, 1) is larger than 2147483647 in one dimension");
  for (const char *shape : {"(2147483647, 2147483647)", "(1000000, 1000000)"})
    EXPECT_NE(
        message("a.npy", malformedNpy(std::string("{'descr': '<f8', 'fortran_order': False, 'shape': ") +
                                          shape + ", }",
                                      "12345678"))
            .find("needs more bytes"),
        std::string::npos);
  EXPECT_NE(
      message("a.npy",
              malformedNpy(
                  "{'descr': '<f8', 'fortran_order': False, 'shape': (2147483647, 2147483647, 2147483647), }",
                  "1"),
              3)
          .find("needs more bytes"),
      std::string::npos);
  for (const char *bad :
       {"", "{", "{'descr'", "{'descr':", "{'descr': '<f8", "{'shape': (", "{'shape': (1", "{'shape': (1 2)}",
        "{'shape': (-1,)}", "{'fortran_order': Maybe}", "{'shape': (99999999999999999999999,)}", "{}",
        "{'descr': '', 'fortran_order': False, 'shape': (1,1)}"})
    EXPECT_NE(message("a.npy", malformedNpy(bad)), "accepted") << bad;
}

TEST(Malformed, EveryPrefixOfAGoodFileIsRefused) {
  const matrix::Matrix m = matrix::Matrix::allocate(ElementKind::F64, {5, 4});
  matrix::fillRandom(m, 1);
  Folder f;
  for (const char *name : {"m.npy", "m.png", "m.pgm", "m.txt"}) {
    matrix::OutputFile(f.path(name), m.extents(), "[w, h]").write(m);
    const std::string whole = f.read(name);
    const size_t slack =
        std::string(name) == "m.txt" ? 16 : 1; // text: the last number may lose digits and its line ends
    for (size_t n = 0; n + slack <= whole.size(); n += 1 + n / 40)
      EXPECT_NE(message(name, whole.substr(0, n)), "accepted") << name << " cut to " << n;
    EXPECT_EQ(message(name, whole), "accepted") << name;
  }
}

TEST(Malformed, FlippedBytesNeverCrash) {
  const matrix::Matrix m = matrix::Matrix::allocate(ElementKind::F64, {5, 4});
  matrix::fillRandom(m, 1);
  Folder f;
  for (const char *name : {"m.npy", "m.png", "m.pgm", "m.txt"}) {
    matrix::OutputFile(f.path(name), m.extents(), "[w, h]").write(m);
    const std::string whole = f.read(name);
    for (size_t i = 0; i < whole.size(); i += 1 + i / 24)
      for (unsigned char flip : {0x01, 0x10, 0x80, 0xff}) {
        std::string bad = whole;
        bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ flip);
        message(name, bad);
      }
  }
}

TEST(Malformed, Text) {
  EXPECT_EQ(
      message("a.txt", "hello there"),
      "a.txt: a matrix in text begins with 'SIZE 3 2', its numbers follow; this one begins with 'hello'");
  EXPECT_EQ(message("a.txt", "SIZE 2 2\n1 2 3\n"),
            "a.txt: SIZE [2, 2] announces 4 numbers, but the file has 3");
  EXPECT_EQ(message("a.txt", "SIZE 2 2\n1 2\n3 4\n5 6\n"),
            "a.txt: line 4: '5' stands after the 4 numbers that SIZE [2, 2] announces");
  EXPECT_EQ(message("a.txt", "SIZE 0 2\n1\n"),
            "a.txt: line 2: '1' stands after the 0 numbers that SIZE [0, 2] announces");
  EXPECT_EQ(message("a.txt", "SIZE 1 1\n1\nSIZE 1 1\n2\n"),
            "a.txt: line 3: 'SIZE' stands after the 1 numbers that SIZE [1, 1] announces");
  EXPECT_EQ(message("a.txt", "SIZE 1 1\n1 # one\n"),
            "a.txt: line 2: '#' stands after the 1 numbers that SIZE [1, 1] announces");
  EXPECT_EQ(message("a.txt", "SIZE 1 1\n\n 1 \t\n\n  "), "accepted");
  EXPECT_EQ(message("a.txt", "SIZE 2 2\n1 2\n3 abc\n"), "a.txt: line 3: 'abc' is not a number");
  EXPECT_EQ(message("a.txt", "SIZE 2 2\n1 2\n3 4x\n"), "a.txt: line 3: '4x' is not a number");
  EXPECT_EQ(message("a.txt", "SIZE 2 -2\n1 2\n"),
            "a.txt: line 1: after SIZE stand the extents, numbers from 0 to 2147483647; '-2' is none");
  EXPECT_EQ(
      message("a.txt", "SIZE 2 99999999999\n1 2\n"),
      "a.txt: line 1: after SIZE stand the extents, numbers from 0 to 2147483647; '99999999999' is none");
  EXPECT_EQ(message("a.txt", "SIZE 4\n1 2 3 4\n"),
            "a.txt: expected 2 dimensions for A[w, h], found 1 (SIZE [4])");
  EXPECT_EQ(message("a.txt", "SIZE 100000 100000\n1 2 3\n"),
            "a.txt: SIZE [100000, 100000] announces more numbers than the file can hold (is it cut off?)");
  EXPECT_EQ(message("a.txt", "SIZE 2147483647 2147483647 2147483647\n1", 3),
            "a.txt: SIZE [2147483647, 2147483647, 2147483647] announces more numbers than the file can hold "
            "(is it cut off?)");
  EXPECT_EQ(message("a.txt", "SIZE 1 1\n1.5\n", 2, ElementKind::I32),
            "a.txt: line 2: '1.5' does not fit A, whose elements are 'int'");
  EXPECT_EQ(message("a.txt", "SIZE 1 1\n-1e400\n"),
            "a.txt: line 2: '-1e400' does not fit A, whose elements are 'double'");
  EXPECT_EQ(message("a.txt", "SIZE 1 1\n1e40\n", 2, ElementKind::F32),
            "a.txt: line 2: '1e40' does not fit A, whose elements are 'float'");
}

TEST(Malformed, Images) {
  EXPECT_EQ(message("a.png", "hello"), "a.png: expected a PNG image, found a file that begins with 'hello'");
  EXPECT_EQ(message("a.pgm", "hello"),
            "a.pgm: expected a grey or pixel map (P2, P3, P5 or P6), found a file that begins with 'hello'");
  EXPECT_EQ(message("a.pgm", "P5\n100000 100000\n255\nxx"),
            "a.pgm: announces 100000 x 100000 pixels, more than the file can hold (is it cut off?)");
  EXPECT_EQ(message("a.pgm", "P2\n2 1\n255\n7 256\n"),
            "a.pgm: expected a sample (0 to 255) at byte 13, found '256.'");
  for (const char *kind : {"P2", "P3", "P5", "P6"})
    EXPECT_EQ(message("a.pgm", std::string(kind) + "\n1 1\n0\n0 0 0\n"),
              "a.pgm: expected the largest value (1 to 65535) at byte 7, found '0.0 0 0.'");
  EXPECT_EQ(message("a.pgm", "P5\n2 x"), "a.pgm: expected the height (0 to 1073741824) at byte 5, found 'x'");
  EXPECT_EQ(message("a.pgm", "P5\n1 1\n255\nx", 1),
            "a.pgm: expected 1 dimensions for A[n], found 2 (an image, 1 wide, 1 high)");
}

TEST(Malformed, NoSuchFileAndFolders) {
  Folder f;
  auto text = [&](const std::string &path) -> std::string {
    try {
      matrix::readMatrix(path, {"A", ElementKind::F64, 2, "[w, h]"});
    } catch (const base::UserError &e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(text(f.path("none.npy")),
            f.path("none.npy") + ": cannot open the file: No such file or directory");
  EXPECT_EQ(text(f.path("")), f.path("") + ": is a folder, expected a file");
}
