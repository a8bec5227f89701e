// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/loops.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

const char *kTwoSums = R"(
transform Two from A[c, n] to B[n] {
  B.cell(y) from(A.row(y) a) {
    double s = 0;
    double t = 0;
    for (int k = 0; k < c; ++k) s += a.cell(k);
    for (int j = 2; j < c - 1; ++j) t += a.cell(j) * a.cell(j);
    return s * t;
  }
}
)";
const char *kNeedsTheSum = R"(
transform Needs from A[c, n] to B[n] {
  B.cell(y) from(A.row(y) a) {
    double s = 0;
    double t = 0;
    for (int k = 0; k < c; ++k) s += a.cell(k);
    for (int j = 0; j < c; ++j) t += a.cell(j) * s;
    return t;
  }
}
)";
const char *kTwoOutputs = R"(
transform Outputs from A[w, h] to B[w, h], C[w, h] {
  to(B.cell(x, y) b, C.cell(x, y) c) from(A.cell(x, y) a) {
    b = 2 * a;
    c = b + 1;
  }
}
)";

TEST(Fuse, MakesOneLoop) {
  Lifted two(kTwoSums);
  EXPECT_EQ(scheduleAfter(two.kernel(), "(both) = fuse(k, j)"), R"(
band y parallel
  alloc:R0_s
    alloc:R0_t
      sequence
        R0_S0
        R0_S1
        R0_S2, R0_S3
          band both = (R0_S2: k; R0_S3: j)
            sequence
              R0_S2
              R0_S3
        R0_S4
)");
}

TEST(Fuse, UndoesFission) {
  Lifted outputs(kTwoOutputs);
  EXPECT_EQ(scheduleAfter(outputs.kernel(), "fission(y, x); fuse(y, y2)"),
            scheduleAfter(outputs.kernel(), "fission(x)"));
  EXPECT_EQ(scheduleAfter(outputs.kernel(), "fission(y, x); fuse(y, y2); fuse(x, x2)"),
            scheduleAfter(outputs.kernel(), ""));
}

TEST(Fuse, Refuses) {
  Lifted two(kTwoSums), needs(kNeedsTheSum), outputs(kTwoOutputs);
  EXPECT_EQ(whyNot(two.kernel(), "fuse(k)"), "one loop alone cannot be fused");
  EXPECT_EQ(whyNot(two.kernel(), "fuse(j, k)"), "its loops over `j`, `k` do not follow each other directly");
  EXPECT_EQ(whyNot(two.kernel(), "fuse(y, k)"), "its loops over `y`, `k` do not follow each other directly");
  EXPECT_THAT(whyNot(needs.kernel(), "fuse(k, j)"),
              testing::StartsWith("a value would be used before it is computed (R0_S2["));
  EXPECT_THAT(whyNot(outputs.kernel(), "fission(y, x); fuse(y, y2; shift = -1)"),
              testing::StartsWith("a value would be used before it is computed (R0_S0["));
  EXPECT_EQ(whyNot(outputs.kernel(), "fission(y, x); vector(x); fuse(y, y2); fuse(x, x2)"),
            "its loop over `x` is realised as vector already");
}

TEST(Fuse, KeepsResults) {
  EXPECT_EQ(differences(kTwoSums, {"fuse(k, j)", "fuse(k, j; shift = 3)", "split(k; 3); fuse(k_rest, j)",
                                   "fuse(k, j); tile(k; 4)", "lanes(y; 8); fuse(k, j)"}),
            "");
  EXPECT_EQ(
      differences(kTwoOutputs, {"fission(y, x); fuse(y, y2; shift = 2)", "fission(x); fuse(x, x2; shift = 1)",
                                "fission(y, x); fuse(y, y2); vector(x, x2); tasks()"}),
      "");
}

} // namespace
