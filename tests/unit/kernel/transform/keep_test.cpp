// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a step of a loop uses of a matrix, in a small array: what it looks like, and that nothing else is computed.
#include "compiler/kernel/print.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(KernelKeep, CopiesInWhatIsReadAndBackWhatIsWritten) {
  Lifted product(programs::kMatrixProduct);
  const std::string text =
      print(after(product.kernel(),
                  "in_place(R0_s); tile(k; 16); (yt, xt, yi, xi) = tile(y, x; 4, 8); keep(AB, at = xt)"));
  EXPECT_THAT(text, HasSubstr("buffer AB_kept double 4-d scratch of 8 x 4, in registers\n"));
  EXPECT_THAT(text, HasSubstr("AB_kept[x - xt, y - yt, yt, xt] += A[k, y] * B[x, k]\n"));
  EXPECT_THAT(text, HasSubstr("AB[AB0, AB1] = AB_kept[-xt + AB0, -yt + AB1, yt, xt]\n"));
}

TEST(KernelKeep, DoesNotReadWhatTheStepOnlyWrites) {
  Lifted stencil(programs::kStencil);
  const std::string text = print(after(stencil.kernel(), "tile(y, x; 4, 8); keep(B, at = xt)"));
  EXPECT_THAT(text, HasSubstr("B_back"));
  EXPECT_THAT(text, Not(HasSubstr("B_copy")));
}

TEST(KernelKeep, ComputesTheSame) {
  EXPECT_EQ(
      differences(programs::kMatrixProduct,
                  {"in_place(R0_s); tile(y, x; 4, 8); keep(AB, at = xt)",
                   "tasks(); in_place(R0_s); tile(y, x; 2, 3); keep(AB, at = xt); (kt, ki) = tile(k; 4); "
                   "stage(A, at = kt)"}),
      "");
  EXPECT_EQ(differences(programs::kRows, {"tile(y, x; 4, 8); keep(B, at = xt)"}), "");
}

TEST(KernelKeep, Refuses) {
  Lifted product(programs::kMatrixProduct);
  EXPECT_EQ(whyNot(product.kernel(), "keep(AB, at = y)"),
            "the cells of `AB` that one step of `y` uses have no constant extent (tile its loops first)");
  EXPECT_EQ(whyNot(product.kernel(), "tile(y, x; 64, 64); keep(AB, at = xt)"),
            "its copy of `AB` would need more than 8192 bytes");
}

} // namespace
