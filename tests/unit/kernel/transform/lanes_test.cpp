// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What cannot run in lanes: a statement has one number of a lane, and scratch memory has none.
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

TEST(Lanes, AreNotInsideOfLanes) {
  Lifted product(programs::kMatrixProduct);
  EXPECT_EQ(whyNot(product.kernel(), "in_place(R0_s); lanes(x; 8); lanes(y; 8)"),
            "the loop over `x` runs in groups of lanes already");
  EXPECT_EQ(whyNot(product.kernel(), "in_place(R0_s); lanes(y; 8); lanes(x; 8)"),
            "the loop over `y` runs in groups of lanes already");
}

TEST(Lanes, HaveNoScratchMemory) {
  Lifted sums(R"(
transform Sums from A[c, h] to B[h] {
  fast B.cell(y) from(A.row(y) a) {
    double s = 0;
    for (int k = 0; k < c; ++k) s += a.cell(k);
    return s;
  }
}
)");
  EXPECT_EQ(whyNot(sums.kernel(), "partial_sums(k; 4); lanes(y; 8)"),
            "iterations of the loop over `y` would share `s_sums`");
}

} // namespace
