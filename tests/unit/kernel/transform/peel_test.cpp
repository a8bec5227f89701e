// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/loops.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

// The steps that not all points have come first.
const char *kUpper = R"(
transform Upper from A[n, n] to B[n, n] {
  B.cell(x, y) from(A.row(y) a) {
    double s = 0;
    for (int k = x; k < n; ++k) s += a.cell(k);
    return s;
  }
}
)";

TEST(Peel, FirstAndLast) {
  Lifted add(programs::kAdd);
  EXPECT_EQ(scheduleAfter(add.kernel(), "peel(i)"), R"(
sequence
  { R0_S0[i = 0] : n > 0 }
    band i_first = i parallel
  { R0_S0[i] : 0 < i <= -2 + n }
    band i parallel
  { R0_S0[i = -1 + n] : n >= 2 }
    band i_last = i parallel
)");
  const auto labels = [&](const std::string &script) {
    return labelsOf(after(add.kernel(), script).schedule.tree);
  };
  EXPECT_EQ(labels("peel(i; first = 2)"), (std::vector<std::string>{"i_first", "i"}));
  EXPECT_EQ(labels("peel(i; last = 2)"), (std::vector<std::string>{"i", "i_last"}));
  EXPECT_EQ(labels("(a, b) = peel(i; last = 2)"), (std::vector<std::string>{"a", "b"}));
}

TEST(Peel, LeavesTheRectangleOfATriangle) {
  Lifted triangle(programs::kTriangle);
  EXPECT_EQ(scheduleAfter(triangle.kernel(), "tile(x; 16); peel(k, along = x)"), R"(
band y parallel
  band xt = x - (x) mod 16 parallel
    band x parallel
      alloc:R0_s
        sequence
          R0_S0
          { R0_S1[x, y, k] : x < n and 0 <= y < n and k >= 0 and 16*floor((x)/16) >= k }
            band k
          { R0_S1[x, y, k] : x < n and 0 <= y < n and 0 <= k <= x and 16*floor((x)/16) < k }
            band k_last = k
          R0_S2
)");
  EXPECT_EQ(whyNot(Lifted(programs::kMatrixProduct).kernel(), "peel(k, along = x)"),
            "its loop over `k` is as long for each iteration of `x` already");
  EXPECT_EQ(whyNot(triangle.kernel(), "peel(x, along = k)"),
            "its loop over `x` is not inside the one over `k`");
  EXPECT_EQ(whyNot(triangle.kernel(), "peel(k, along = x; first = 1)"),
            "the iterations are either counted (first, last) or those that are not the same along a loop");
}

TEST(Peel, Refuses) {
  Lifted add(programs::kAdd), seven(programs::kConvolve7);
  EXPECT_EQ(whyNot(add.kernel(), "peel(i; first = 0)"), "no iteration is to be peeled");
  EXPECT_EQ(whyNot(seven.kernel(), "peel(i; first = 4, last = 3)"), "no iteration is left for `i`");
  EXPECT_EQ(whyNot(seven.kernel(), "unroll(i); peel(i)"), "its loop over `i` is realised as unroll already");
}

TEST(Peel, KeepsResults) {
  EXPECT_EQ(differences(programs::kMatrixProduct, {"peel(k)", "peel(x; first = 2, last = 3)",
                                                   "peel(y); peel(x)", "peel(k; first = 1); lanes(x; 8)"}),
            "");
  EXPECT_EQ(differences(programs::kTriangle, {"peel(k; last = 1)", "peel(k; first = 2); peel(x)",
                                              "tile(y, x; 4, 4); peel(xt; last = 1); peel(x)"}),
            "");
  EXPECT_EQ(differences(programs::kTriangle, {"peel(k, along = x)", "tile(x; 4); peel(k, along = x)",
                                              "tile(y, x; 3, 4); reverse(x); peel(k, along = x)"}),
            "");
  EXPECT_EQ(differences(kUpper, {"tile(x; 4); peel(k, along = x)", "peel(k, along = x)"}), "");
  EXPECT_EQ(differences(programs::kConvolve7,
                        {"peel(i); unroll(i_first, i, i_last); vector(x)", "unroll(i); peel(x); vector(x)"}),
            "");
}

} // namespace
