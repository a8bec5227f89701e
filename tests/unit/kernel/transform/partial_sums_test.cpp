// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/print.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;

namespace {

const char *kIntSums = R"(
transform Ints from A[c, h] : int to B[h] : int {
  B.cell(y) from(A.row(y) a) {
    int s = 7;
    for (int k = 0; k < c; ++k) s -= a.cell(k) * k;
    return s;
  }
}
)";
const char *kFast = R"(
transform Fast from A[c, h] to B[h] {
  fast B.cell(y) from(A.row(y) a) {
    double s = 0;
    for (int k = 0; k < c; ++k) s += a.cell(k);
    return s;
  }
}
)";

TEST(PartialSums, AreAddedUpBehindTheLoop) {
  Lifted ints(kIntSums);
  EXPECT_EQ(scheduleAfter(ints.kernel(), "partial_sums(k; 4)"), R"(
band y parallel
  alloc:R0_s
    sequence
      R0_S0
      R0_S1, R0_S1_zero, R0_S1_fold
        alloc:R0_S1_sums
          sequence
            R0_S1_zero
              band k_zero = partial parallel
            R0_S1
              band k
            R0_S1_fold
              band k_fold = partial
      R0_S2
)");
  const std::string text = print(after(ints.kernel(), "partial_sums(k; 4)"));
  EXPECT_THAT(text, HasSubstr("R0_S1_zero[y; partial]: R0_S1_sums[partial, y] = 0\n"));
  EXPECT_THAT(text, HasSubstr("R0_S1[y; k]: R0_S1_sums[(k) mod 4, y] -= A[k, y] * k\n"));
  EXPECT_THAT(text, HasSubstr("R0_S1_fold[y; partial]: R0_s[y] += R0_S1_sums[partial, y]\n"));
  Lifted fast(kFast);
  EXPECT_EQ(whyNot(fast.kernel(), "partial_sums(k; 8); tile(k; 8); vector(k)"), "it applies");
}

TEST(PartialSums, Refuses) {
  Lifted product(programs::kMatrixProduct), ints(kIntSums);
  EXPECT_EQ(whyNot(product.kernel(), "partial_sums(k; 4)"),
            "its rule is not `fast`, so that its sums keep their order");
  EXPECT_EQ(whyNot(product.kernel(), "partial_sums(x; 4)"),
            "its loop over `x` is not one over the terms of one sum");
  EXPECT_EQ(whyNot(ints.kernel(), "split(k; 3); partial_sums(k; 4)"),
            "the iterations of its loops are cut already");
  EXPECT_EQ(whyNot(ints.kernel(), "partial_sums(k; 1)"), "`count` of `partial_sums` cannot be 1");
}

TEST(PartialSums, KeepsResults) {
  EXPECT_EQ(differences(kIntSums, {"partial_sums(k; 4)", "partial_sums(k; 4); tile(k; 4); vector(k)",
                                   "tasks(); partial_sums(k; 3)", "in_place(R0_s); partial_sums(k; 2)"}),
            "");
}

} // namespace
