// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/loops.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

TEST(Reverse, RunsBackwards) {
  Lifted add(programs::kAdd);
  EXPECT_EQ(scheduleAfter(add.kernel(), "reverse(i)"), "\nband -i parallel\n");
  EXPECT_EQ(whyNot(add.kernel(), "vector(i); reverse(i)"), "its loop over `i` is realised as vector already");
  EXPECT_EQ(differences(programs::kAdd, {"reverse(i)", "tile(i; 3); reverse(it)"}), "");
  Lifted product(programs::kMatrixProduct);
  EXPECT_EQ(scheduleAfter(product.kernel(), "(down) = reverse(x)"), R"(
band y parallel
  band down = -x parallel
    alloc:R0_s
      sequence
        R0_S0
        R0_S1
          band k
        R0_S2
)");
  EXPECT_EQ(scheduleAfter(product.kernel(), "reverse(x); reverse(x)"), scheduleAfter(product.kernel(), ""));
}

TEST(Reverse, RefusesALoopThatCarriesADependence) {
  Lifted product(programs::kMatrixProduct);
  EXPECT_THAT(whyNot(product.kernel(), "reverse(k)"),
              testing::StartsWith("a value would be used before it is computed (R0_S1["));
  EXPECT_EQ(whyNot(product.kernel(), "lanes(x); reverse(x)"),
            "its loop over `x` is realised as lanes:32 already");
}

TEST(Reverse, KeepsResults) {
  EXPECT_EQ(
      differences(programs::kStencil, {"reverse(y)", "reverse(x); tile(y, x; 3, 4)", "reverse(x); peel(x)"}),
      "");
  EXPECT_EQ(differences(programs::kTriangle, {"reverse(x)", "reverse(x); split(x; 2); tasks()"}), "");
}

} // namespace
