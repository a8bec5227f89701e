// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies of whole matrices before the loops: what they look like, when they are refused, and that nothing else is computed.
#include "compiler/kernel/print.h"
#include "tests/unit/kernel/programs.h"
#include "tests/unit/kernel/transform/support.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;

namespace {

const char *const kTransposedSum = R"(
transform TransposedSum from A[h, w], D[w, h] to B[w, h] {
  B.cell(x, y) from(A.cell(y, x) a, D.cell(x, y) d) { return a + d; }
}
)";

TEST(KernelLayout, CopiesBeforeAllLoops) {
  Lifted sum(kTransposedSum);
  const Scheduled kernel = after(sum.kernel(), "layout(A, order = transposed, pad = 2)");
  const std::string text = print(kernel);
  EXPECT_THAT(text, HasSubstr("buffer A_map double 2-d scratch of (2 + w) x (h)\n"));
  EXPECT_THAT(text, HasSubstr("B[x, y] = A_map[x, y] + D[x, y]\n"));
  EXPECT_THAT(text, HasSubstr("A_map[A1, A0] = A[A0, A1]\n"));
  EXPECT_EQ(scheduleAfter(sum.kernel(), "layout(A, order = transposed)"), R"(
alloc:A_map
  sequence
    A_copy
      band A0 parallel
        band A1 parallel
    R0_S0
      band y parallel
        band x parallel
)");
}

TEST(KernelLayout, CopiesWhatTheTaskReads) {
  Lifted stencil(programs::kConvolve3);
  EXPECT_THAT(
      print(after(stencil.kernel(), "tasks(); layout(A)")),
      HasSubstr(
          "buffer A_map double 2-d scratch of (2 - pb__low0 + pb__high0) x (2 - pb__low1 + pb__high1)\n"));
  EXPECT_THAT(print(after(stencil.kernel(), "layout(K)")), HasSubstr("scratch of 3 x 3\n"));
}

TEST(KernelLayout, ComputesTheSame) {
  EXPECT_EQ(differences(kTransposedSum, {"layout(A)", "layout(A, order = transposed)",
                                         "layout(A, order = transposed, pad = 3); vector(x)",
                                         "tasks(); layout(A, order = transposed, pad = 1); layout(D)",
                                         "layout(A, order = transposed); tile(y, x; 4, 8)",
                                         "layout(A); order(A0, A1); fuse(A0, y); fuse(A1, x)",
                                         "layout(A, order = transposed); fuse(A0, y; shift = 0)"}),
            "");
  EXPECT_EQ(
      differences(programs::kMatrixProduct, {"layout(B, order = transposed)",
                                             "tasks(); layout(A, order = transposed); layout(B; pad = 5)"}),
      "");
  EXPECT_EQ(differences(programs::kTriangle, {"layout(A, order = transposed); tile(k; 4)"}), "");
  EXPECT_EQ(differences(programs::kConvolve3, {"tasks(); layout(A); layout(K)"}), "");
}

TEST(KernelLayout, Refuses) {
  Lifted product(programs::kMatrixProduct), rows(programs::kRows);
  EXPECT_EQ(whyNot(product.kernel(), "layout(AB)"), "the kernel writes `AB`");
  EXPECT_EQ(whyNot(product.kernel(), "layout(R0_s)"), "`s` is no matrix with cells");
  EXPECT_EQ(whyNot(product.kernel(), "registers(y, x); layout(A)"),
            "blocks in registers have copies of their own");
}

TEST(KernelLayout, ComesBehindTasks) {
  Lifted product(programs::kMatrixProduct), sum(kTransposedSum);
  EXPECT_EQ(whyNot(product.kernel(), "layout(B, order = transposed); tasks()"),
            "its parts would share scratch memory (`B_map`): `tasks` comes before the steps that make it");
  EXPECT_EQ(
      whyNot(sum.kernel(), "layout(A); layout(D); tasks()"),
      "its parts would share scratch memory (`A_map`, `D_map`): `tasks` comes before the steps that make it");
}

} // namespace
