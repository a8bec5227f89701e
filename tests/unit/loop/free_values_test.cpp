// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values that may be computed where C++ would not come to them.
#include "compiler/loop/free_values.h"
#include "tests/unit/transform/textual.h"
#include <gtest/gtest.h>

using namespace pbc;

namespace {

constexpr int kRoom = 12;

/// Whether the value for points whose condition holds is free, in `condition ? value : 0`.
bool isFree(const std::string &value, const std::string &type = "int", int room = kRoom,
            const std::string &points = "0 <= i < n") {
  kernel::Texts texts;
  const kernel::Scheduled made = texts.kernel(R"(
kernel Choice [n]
  context n >= 0
  buffer A int 1-d input
  buffer B byte 1-d input
  buffer D double 1-d input
  buffer R )" + type + R"( 1-d output
  S[i]: R[i] = (A[i] < 46341) ? ()" + value +
                                              ") : " + type + R"((0)
    { S[i] : )" + points + R"( }
  schedule
    band i parallel
)");
  const kernel::Statement &s = made.statements.front();
  return loop::isFreeToCompute(made, s, *s.value->operands[1], room);
}

TEST(FreeValues, CellsAndNumbers) {
  EXPECT_TRUE(isFree("A[i]"));
  EXPECT_TRUE(isFree("D[i]", "double"));
  EXPECT_TRUE(isFree("0.25 * (D[i] + D[i + 1])", "double"));
  EXPECT_TRUE(isFree("D[i] / D[i + 1]", "double")) << "infinity is a value";
}

/// Overflow of whole numbers is not defined, so that LLVM may take for granted that there is none.
TEST(FreeValues, WholeNumbersThatMayBeTooLarge) {
  EXPECT_FALSE(isFree("A[i] * A[i]"));
  EXPECT_FALSE(isFree("A[i] + 1"));
  EXPECT_FALSE(isFree("-A[i]"));
  EXPECT_TRUE(isFree("int(B[i]) * int(B[i + 1]) + 1"));
  EXPECT_TRUE(isFree("A[i] & 255"));
  EXPECT_TRUE(isFree("long(A[i]) * long(A[i])", "long"));
  EXPECT_FALSE(isFree("long(A[i]) * long(A[i]) * long(A[i])", "long"));
}

TEST(FreeValues, WhatIsNotDefinedForAllOperands) {
  EXPECT_FALSE(isFree("A[i] / A[i + 1]"));
  EXPECT_FALSE(isFree("A[i] % A[i + 1]"));
  EXPECT_FALSE(isFree("int(B[i]) << A[i]"));
  EXPECT_FALSE(isFree("int(D[i])")) << "a fraction may be too large for an int";
  EXPECT_FALSE(isFree("sqrt(D[i])", "double")) << "it takes long";
}

TEST(FreeValues, LongOnesAreNot) {
  EXPECT_TRUE(isFree("D[i] + D[i + 1]", "double", 3));
  EXPECT_FALSE(isFree("D[i] + D[i + 1]", "double", 2));
}

} // namespace
