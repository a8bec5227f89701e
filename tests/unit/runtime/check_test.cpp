// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/compare.h"
#include "tests/unit/runtime/process.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace pb;
using matrix::Matrix;

TEST(Check, EveryAlternativeIsOneLine) {
  Folder f;
  // The limit is more than a second, because the thread sanitizer sleeps for one when a program exits.
  const Ended e = f.run({"--check", "--n=4", "--limit=2.5"});
  EXPECT_EQ(e.status, 1);
  EXPECT_EQ(
      e.out,
      "AddOne: rule0 agrees (max difference 0)\n"
      "AddOne: ByRows agrees (max difference 0)\n"
      "AddOne: Wrong disagrees (max difference " +
          e.out.substr(e.out.find("Wrong disagrees (max difference ") + 32,
                       e.out.find(" at B[1, 0]") - e.out.find("Wrong disagrees (max difference ") - 32) +
          " at B[1, 0]" +
          e.out.substr(e.out.find(": found"), e.out.find(")\nAddOne: Crash") - e.out.find(": found")) +
          ")\n"
          "AddOne: Crash crashes (Aborted)\n"
          "AddOne: Endless does not end within 2.5 s\n"
          "AddOne: Exit ends the program with status 7\n"
          "AddOne: NoBase agrees from size 3 on (max difference 0)\n"
          "4 of 7 alternatives do not compute the same\n");
  EXPECT_TRUE(f.list().empty());
}

TEST(Check, OnFilesWithoutOutputs) {
  Folder f;
  f.write("a.txt", "SIZE 2 2\n1 2 3 4\n");
  const Ended e = f.run({"--check", "a.txt", "--limit=0.3"});
  EXPECT_NE(e.out.find("AddOne: Wrong disagrees (max difference 0.666667 at B[1, 0]: found 5, expected 3)\n"),
            std::string::npos)
      << e.out << e.err;
}

TEST(Compare, Tolerances) {
  auto differ = [](ElementKind k, double a, double b) {
    const Matrix x = Matrix::allocate(k, {1}), y = Matrix::allocate(k, {1});
    matrix::withType(k, [&](auto zero) {
      using T = decltype(zero);
      x.elements<T>()[0] = static_cast<T>(a), y.elements<T>()[0] = static_cast<T>(b);
    });
    return program::compare(x, y);
  };
  EXPECT_TRUE(differ(ElementKind::F64, 1e6 + 1e-4, 1e6).agrees);
  EXPECT_FALSE(differ(ElementKind::F64, 1 + 1e-8, 1).agrees);
  EXPECT_TRUE(differ(ElementKind::F32, 1.00005, 1).agrees);
  EXPECT_FALSE(differ(ElementKind::F32, 1.001, 1).agrees);
  EXPECT_TRUE(differ(ElementKind::F64, NAN, NAN).agrees);
  EXPECT_FALSE(differ(ElementKind::F64, NAN, 1).agrees);
  EXPECT_TRUE(differ(ElementKind::F64, INFINITY, INFINITY).agrees);
  EXPECT_FALSE(differ(ElementKind::F64, INFINITY, -INFINITY).agrees);
  EXPECT_FALSE(differ(ElementKind::I64, 5, 6).agrees);
  EXPECT_EQ(differ(ElementKind::I64, 5, 7).value, 1);
}
