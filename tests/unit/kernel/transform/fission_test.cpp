// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/loops.h"
#include "compiler/kernel/print.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

const char *kColumnSums = R"(
transform Sum from A[w, h] to B[w] {
  to(B.cell(x) b) from(A.column(x) a) {
    b = 0;
    for (int k = 0; k < h; ++k) b += a.cell(k);
  }
}
)";
const char *kColumnSquares = R"(
transform Squares from A[w, h] to B[w] {
  to(B.cell(x) b) from(A.column(x) a) {
    b = 0;
    for (int k = 0; k < h; ++k) { double t = a.cell(k); b += t * t; }
  }
}
)";
const char *kProductInPlace = R"(
transform MM from A[c, h], B[w, c] to AB[w, h] {
  to(AB.cell(x, y) ab) from(A.row(y) a, B.column(x) b) {
    ab = 0;
    for (int k = 0; k < c; ++k) ab += a.cell(k) * b.cell(k);
  }
}
)";
const char *kTriangleInPlace = R"(
transform Triangle from A[n, n] to B[n, n] {
  to(B.cell(x, y) b) from(A.row(y) a) {
    b = 1;
    for (int k = 0; k < x; ++k) b += a.cell(k);
  }
}
)";
const char *kTwoRules = R"(
transform Pair from A[n] to B[n], C[n] {
  B.cell(i) from(A.cell(i) a, C.cell(i-1) c) { return a + 0.5 * c; }
  secondary B.cell(i) from(A.cell(i) a) { return a; }
  C.cell(i) from(B.cell(i) b) { return b + 1; }
}
)";

TEST(Fission, GivesEachPartLoopsOfItsOwn) {
  Lifted sums(kColumnSums);
  EXPECT_EQ(scheduleAfter(sums.kernel(), "in_place(R0_b); fission(x)"), R"(
sequence
  R0_S0
    band x parallel
  R0_S1
    band x parallel
      band k
)");
  Lifted product(kProductInPlace);
  EXPECT_EQ(
      scheduleAfter(product.kernel(), "in_place(R0_ab); (y0, x0, y, x) = fission(y, x); order(y, k, x)"), R"(
sequence
  R0_S0
    band y0 = y parallel
      band x0 = x parallel
  R0_S1
    band y parallel
      band k
        band x parallel
)");
}

TEST(Fission, OfTheInnerLoopAlone) {
  Lifted product(kProductInPlace);
  EXPECT_EQ(scheduleAfter(product.kernel(), "in_place(R0_ab); fission(x)"), R"(
band y parallel
  sequence
    R0_S0
      band x parallel
    R0_S1
      band x parallel
        band k
)");
}

TEST(Fission, MovesAVariableToThePartThatUsesIt) {
  Lifted squares(kColumnSquares);
  EXPECT_EQ(scheduleAfter(squares.kernel(), "in_place(R0_b); fission(x)"), R"(
sequence
  R0_S0
    band x parallel
  R0_S1, R0_S2
    band x parallel
      alloc:R0_t
        band k
          sequence
            R0_S1
            R0_S2
)");
}

TEST(Fission, MakesArraysOfVariablesThatSeveralPartsUse) {
  Lifted product(programs::kMatrixProduct);
  EXPECT_EQ(scheduleAfter(product.kernel(), "(x0, x, x1) = fission(x); order(k, x)"), R"(
band y parallel
  alloc:R0_s
    sequence
      R0_S0
        band x0 = x parallel
      R0_S1
        band k
          band x parallel
      R0_S2
        band x1 = x parallel
)");
  EXPECT_THAT(print(after(product.kernel(), "fission(x)")),
              testing::HasSubstr("buffer R0_s double 3-d scratch of (w) x 1, called s\n"));
  EXPECT_THAT(print(after(product.kernel(), "tile(y, x; 4, 8); fission(x)")),
              testing::HasSubstr("buffer R0_s double 5-d scratch of 8 x 1, called s, in registers\n"));
}

TEST(Fission, MakesAnElementForEachStepOfALoopOfTheBody) {
  Lifted squares(kColumnSquares);
  const std::string text = print(after(squares.kernel(), "fission(k)"));
  EXPECT_THAT(text, testing::HasSubstr("buffer R0_t double 3-d scratch of 1 x (h), called t\n"));
  EXPECT_THAT(text, testing::HasSubstr("R0_t[0, k, x] = A[x, k]"));
}

TEST(Fission, Refuses) {
  Lifted inPlace(kProductInPlace), pair(kTwoRules);
  EXPECT_EQ(whyNot(inPlace.kernel(), "in_place(R0_ab); fission(y)"),
            "there is just one statement or loop in its loop over `y`");
  EXPECT_EQ(whyNot(inPlace.kernel(), "in_place(R0_ab); fission(k)"),
            "there is just one statement or loop in its loop over `k`");
  EXPECT_EQ(whyNot(inPlace.kernel(), "in_place(R0_ab); (a, b) = fission(y, x)"),
            "it makes 4 loops (`y`, `x`, `y`, `x`), and 2 names are given");
  EXPECT_EQ(whyNot(inPlace.kernel(), "in_place(R0_ab); lanes(x); fission(y, x)"),
            "its loop over `x` is realised as lanes:32 already");
  bool isRefused = false;
  for (int step = 0; step < pair.steps(); ++step)
    if (const auto kernel = pair.kernel(0, step); kernel.statements.size() > 1)
      isRefused |=
          testing::Value(whyNot(kernel, "fission(i)"), testing::StartsWith("a value would be used before"));
  EXPECT_TRUE(isRefused);
}

TEST(Fission, KeepsResults) {
  EXPECT_EQ(
      differences(kColumnSums, {"in_place(R0_b); fission(x)", "in_place(R0_b); fission(x); order(k, x2)",
                                "in_place(R0_b); fission(x); order(k, x2); vector(x2)",
                                "in_place(R0_b); fission(x); tasks()"}),
      "");
  EXPECT_EQ(
      differences(programs::kMatrixProduct, {"fission(x); order(k, x2); vector(x2)", "fission(y, x)",
                                             "tasks(); tile(y, x; 4, 8); fission(y, x); order(y2, k, x2)"}),
      "");
  EXPECT_EQ(differences(programs::kTriangle, {"fission(x)", "fission(y, x); order(k, y2, x2)"}), "");
  EXPECT_EQ(
      differences(kColumnSquares, {"fission(k)", "in_place(R0_b); (k1, k2) = fission(k); vector(k1)",
                                   "in_place(R0_b); fission(x)", "in_place(R0_b); fission(x); tile(x2; 4)"}),
      "");
  EXPECT_EQ(differences(kProductInPlace, {"in_place(R0_ab); fission(y, x); order(y2, k, x2); vector(x2)",
                                          "in_place(R0_ab); fission(x)",
                                          "in_place(R0_ab); fission(y, x); tile(y2, x2, k; 2, 3, 4)"}),
            "");
  EXPECT_EQ(differences(kTriangleInPlace, {"in_place(R0_b); fission(y, x); order(y2, k, x2)",
                                           "in_place(R0_b); fission(x); order(k, x2); vector(x2)"}),
            "");
}

} // namespace
