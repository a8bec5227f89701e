// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/legal.h"
#include "compiler/kernel/loops.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

// Gauss and Seidel's order with a neighbour from the row above that is further right.
const char *kSweep = R"(
transform Sweep from A[w, h] to B[w, h] {
  B.cell(x, y) from(B.cell(x-1, y) l, B.cell(x+1, y-1) u, A.cell(x, y) a) { return 0.25 * (l + u) + a; }
  secondary B.cell(x, y) from(A.cell(x, y) a) { return a; }
}
)";

/// The kernel of the step that runs point after point.
Scheduled sweep(Lifted &lifted) {
  for (int step = 0; step < lifted.steps(); ++step)
    if (Scheduled k = lifted.kernel(0, step); !k.dependences.is_empty())
      return k;
  return lifted.kernel();
}

TEST(Skew, MovesALoop) {
  Lifted stencil(programs::kStencil);
  EXPECT_EQ(scheduleAfter(stencil.kernel(), "skew(x, y)"), R"(
band y parallel
  band x = x + y parallel
)");
  EXPECT_EQ(scheduleAfter(stencil.kernel(), "skew(x, by = y; factor = -2)"), R"(
band y parallel
  band x = x - 2y parallel
)");
  EXPECT_EQ(scheduleAfter(stencil.kernel(), "skew(y, x)"), R"(
band y = x + y parallel
  band x parallel
)");
}

TEST(Skew, MakesTilesOfWavefrontsLegal) {
  Lifted lifted(kSweep);
  const Scheduled kernel = sweep(lifted);
  EXPECT_EQ(whyNot(kernel, "tile(y, x; 4, 4)"),
            "a dependence goes backwards in one of its loops, so that tiles would need each other");
  EXPECT_EQ(whyNot(kernel, "skew(x, y); tile(y, x; 4, 4)"), "it applies");
  // Points of one wave do not need each other.
  const Scheduled wave = after(kernel, "skew(x, y; 2); order(x, y)");
  EXPECT_TRUE(isParallel(findLoop(wave.schedule.tree, "y")->band, 0, wave.dependences));
}

TEST(Skew, Refuses) {
  Lifted lifted(kSweep), product(programs::kMatrixProduct);
  const Scheduled kernel = sweep(lifted);
  EXPECT_EQ(whyNot(kernel, "skew(x, x)"), "a loop cannot be moved by itself");
  EXPECT_EQ(whyNot(kernel, "skew(x, y; 0)"), "a factor of 0 moves nothing");
  EXPECT_THAT(whyNot(kernel, "skew(y, x; -1)"),
              testing::StartsWith("a value would be used before it is computed"));
  EXPECT_EQ(whyNot(product.kernel(), "skew(x, k)"),
            "its loop over `k` is neither around the one over `x` nor directly in it");
}

TEST(Skew, KeepsResults) {
  EXPECT_EQ(differences(kSweep, {"skew(x, y); tile(y, x; 3, 4)", "skew(x, y; 2); order(x, y)",
                                 "skew(x, y; 2); tile(y, x; 2, 3); peel(xt)"}),
            "");
  EXPECT_EQ(differences(programs::kMatrixProduct, {"skew(k, x)", "skew(x, y; 3); split(x; 4)"}), "");
}

} // namespace
