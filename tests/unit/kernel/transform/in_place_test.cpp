// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/print.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

TEST(InPlace, StoresTheVariableInTheOutput) {
  Lifted product(programs::kMatrixProduct);
  EXPECT_EQ(print(after(product.kernel(), "in_place(R0_s)")), R"(kernel MM.rule0 [c, h, w]
  context c >= 0 and h >= 0 and w >= 0
  buffer A double 2-d input
  buffer B double 2-d input
  buffer AB double 2-d output
  R0_S0[x, y]: AB[x, y] = 0.0
    { R0_S0[x, y] : c >= 0 and 0 <= x < w and 0 <= y < h }
  R0_S1[x, y; k]: AB[x, y] += A[k, y] * B[x, k]
    { R0_S1[x, y, k] : 0 <= x < w and 0 <= y < h and 0 <= k < c }
  schedule
    band y parallel
      band x parallel
        sequence
          R0_S0
          R0_S1
            band k
)");
}

TEST(InPlace, TakesTheProgramsName) {
  Lifted product(programs::kMatrixProduct);
  EXPECT_EQ(print(after(product.kernel(), "in_place(s)")), print(after(product.kernel(), "in_place(R0_s)")));
  EXPECT_EQ(whyNot(product.kernel(), "in_place(t)"), "no matrix or variable is called `t`");
}

TEST(InPlace, Refuses) {
  Lifted product(programs::kMatrixProduct);
  EXPECT_EQ(whyNot(product.kernel(), "in_place(A)"), "`A` is a matrix, not a variable of the body");
  EXPECT_EQ(whyNot(product.kernel(), "lanes(x); in_place(R0_s)"),
            "its variables are arrays of lanes already");
  Lifted changed(R"(
transform T from A[c, n] to B[n] {
  B.cell(y) from(A.row(y) a) { double s = 0; for (int k = 0; k < c; ++k) s += a.cell(k); return 2 * s; }
}
)");
  EXPECT_EQ(whyNot(changed.kernel(), "in_place(R0_s)"), "`s` is not stored unchanged in an output");
  Lifted narrow(R"(
transform T from A[c, n] to B[n] : float {
  B.cell(y) from(A.row(y) a) { double s = 0; for (int k = 0; k < c; ++k) s += a.cell(k); return s; }
}
)");
  EXPECT_EQ(whyNot(narrow.kernel(), "in_place(R0_s)"), "`s` is not stored unchanged in an output");
  Lifted twice(R"(
transform T from A[c, n] to B[n], C[n] {
  to(B.cell(y) b, C.cell(y) e) from(A.row(y) a) {
    double s = 0;
    for (int k = 0; k < c; ++k) s += a.cell(k);
    b = s;
    e = s;
  }
}
)");
  EXPECT_EQ(whyNot(twice.kernel(), "in_place(R0_s)"), "it applies");
}

TEST(InPlace, KeepsResults) {
  EXPECT_EQ(
      differences(programs::kMatrixProduct, {"in_place(R0_s)", "in_place(R0_s); tile(y, x; 3, 4); tasks()"}),
      "");
  EXPECT_EQ(
      differences(programs::kTriangle, {"in_place(R0_s)", "in_place(R0_s); fission(y, x); order(k, y2, x2)"}),
      "");
}

} // namespace
