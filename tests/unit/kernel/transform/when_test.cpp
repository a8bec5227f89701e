// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/loops.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

TEST(When, MakesTwoSchedules) {
  Lifted product(programs::kMatrixProduct);
  EXPECT_EQ(scheduleAfter(product.kernel(), "when(w >= 64); tile(x; 32); scalar(x)"), R"(
sequence
  { R0_S0[x, y] : c >= 0 and w >= 64 and 0 <= x < w and 0 <= y < h; R0_S1[x, y, k] : w >= 64 and 0 <= x < w and 0 <= y < h and 0 <= k < c; R0_S2[x, y] : c >= 0 and w >= 64 and 0 <= x < w and 0 <= y < h }
    band y parallel
      band xt = x - (x) mod 32 parallel
        scalar
          band x parallel
            alloc:R0_s
              sequence
                R0_S0
                R0_S1
                  band k
                R0_S2
  { R0_S0[x, y] : c >= 0 and w <= 63 and 0 <= x < w and 0 <= y < h; R0_S1[x, y, k] : w <= 63 and 0 <= x < w and 0 <= y < h and 0 <= k < c; R0_S2[x, y] : c >= 0 and w <= 63 and 0 <= x < w and 0 <= y < h }
    band y_else = y parallel
      band x_else = x parallel
        alloc:R0_s
          sequence
            R0_S0
            R0_S1
              band k_else = k
            R0_S2
)");
}

// No size is greater than 64 and not greater than 8.
TEST(When, InsideEachOther) {
  Lifted add(programs::kAdd);
  EXPECT_EQ(labelsOf(after(add.kernel(), "when(n > 8); when(n > 64)").schedule.tree),
            (std::vector<std::string>{"i", "i_else2", "i_else_else"}));
}

TEST(When, Refuses) {
  Lifted stencil(programs::kStencil);
  const Scheduled k = stencil.kernel();
  EXPECT_EQ(whyNot(k, "when(ww >= 64)"), "no size is called `ww`: did you mean `w`? the sizes are w, h");
  EXPECT_EQ(whyNot(k, "when(w >= 0)"),
            "its condition holds for all sizes for which there is something to do");
  EXPECT_EQ(whyNot(k, "when(2 * w + h < w)"),
            "its condition holds for no sizes for which there is something to do");
  EXPECT_EQ(whyNot(k, "(a, b) = when(w > 2)"),
            "its loops cannot be named: those of the other part have _else behind their names");
}

TEST(When, KeepsResults) {
  EXPECT_EQ(differences(programs::kMatrixProduct,
                        {"when(w >= 6)", "when(w + h >= 2 * c); lanes(x; 8); tile(y_else; 3)",
                         "when(w != 5); when(h == 2); tasks()", "when(c < 5); peel(k)"}),
            "");
  EXPECT_EQ(
      differences(programs::kConvolve7, {"when(w < 15); unroll(i, i_else); vector(x); tile(x_else; 4)"}), "");
  EXPECT_EQ(differences(programs::kPrefix, {"when(n > 6)", "when(n > 6); split(i; 3)"}), "");
}

} // namespace
