// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies of matrices in scratch memory: what they look like, when they are refused, and that nothing else is computed.
#include "compiler/kernel/print.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;

namespace {

const char *const kFiveRows = R"(
transform FiveRows from A[w, h] to B[w, h - 4] {
  B.cell(x, y) from(A.region(x, y, x + 1, y + 5) a) {
    return a.cell(0, 0) - a.cell(0, 1) + 3 * a.cell(0, 2) - a.cell(0, 3) + a.cell(0, 4);
  }
}
)";

TEST(KernelStage, CopiesATileOfTheOperands) {
  Lifted product(programs::kMatrixProduct);
  const std::string text = print(after(product.kernel(), "(kt, ki) = tile(k; 16); stage(A, at = kt)"));
  EXPECT_THAT(text, HasSubstr("buffer A_pack double 5-d scratch of 16 x 1\n"));
  EXPECT_THAT(text, HasSubstr("R0_s[x, y] += A_pack[k - kt, 0, y, x, kt] * B[x, k]\n"));
  EXPECT_THAT(text, HasSubstr("A_pack[-kt + A0, -y + A1, y, x, kt] = A[A0, A1]\n"));
  EXPECT_THAT(text, HasSubstr(R"(band kt
                alloc:A_pack
                  sequence
                    A_copy
                      band A1 parallel
                        band A0 parallel
                    R0_S1
                      band ki = k
)"));
}

TEST(KernelStage, LayoutsAndPadding) {
  Lifted rows(kFiveRows);
  const std::string tiles = "tile(y, x; 8, 16); ";
  EXPECT_THAT(print(after(rows.kernel(), tiles + "stage(A, at = xt)")), HasSubstr("scratch of 16 x 12"));
  EXPECT_THAT(print(after(rows.kernel(), tiles + "stage(A, at = xt; pad = 3)")),
              HasSubstr("scratch of 19 x 12"));
  EXPECT_THAT(print(after(rows.kernel(), tiles + "stage(A, at = xt, layout = transposed, pad = 1)")),
              HasSubstr("scratch of 13 x 16"));
}

TEST(KernelStage, ComputesTheSame) {
  EXPECT_EQ(
      differences(kFiveRows, {"tile(y, x; 4, 8); stage(A, at = xt); vector(x)",
                              "tasks(); tile(y, x; 4, 8); stage(A, at = xt, layout = transposed, pad = 1)",
                              "stage(A, at = x)"}),
      "");
  EXPECT_EQ(differences(programs::kMatrixProduct,
                        {"(kt, ki) = tile(k; 4); stage(A, at = kt); stage(B, at = kt, layout = transposed)",
                         "tasks(); tile(y, x; 4, 8); (kt, ki) = tile(k; 3); stage(B, at = kt); separate(ki; "
                         "at = kt); unroll(ki)"}),
            "");
  EXPECT_EQ(differences(programs::kTriangle, {"tile(k; 4); stage(A, at = kt)"}), "");
}

TEST(KernelStage, Refuses) {
  Lifted product(programs::kMatrixProduct), rows(programs::kRows);
  EXPECT_EQ(whyNot(product.kernel(), "stage(A, at = x)"),
            "the cells of `A` that one step of `x` uses have no constant extent (tile its loops first)");
  EXPECT_EQ(whyNot(product.kernel(), "stage(AB, at = k)"), "the loop over `k` does not use `AB`");
  EXPECT_EQ(whyNot(product.kernel(), "stage(AB, at = x)"), "the loop over `x` writes `AB`");
  EXPECT_EQ(whyNot(product.kernel(), "stage(R0_s, at = k)"), "`s` is no matrix with cells");
  EXPECT_EQ(whyNot(product.kernel(), "tile(y, x; 512, 512); tile(k; 512); stage(A, at = yt)"),
            "the cells of `A` that one step of `yt` uses have no constant extent (tile its loops first)");
  EXPECT_EQ(whyNot(product.kernel(), "when(h < 5); tile(k; 4); stage(A, at = kt)"),
            "`R0_S1` runs outside of its loop over `kt`, too: its iterations are cut already");
}

} // namespace
