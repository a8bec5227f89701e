// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stencils in programs.
#include "compiler/model/time/stencil_of_kernel.h"

#include "tests/unit/kernel/support.h"

#include <gtest/gtest.h>

namespace pbc::model {
namespace {

/// The largest of a transform's stencils, or why the last of its kernels is not one.
std::string found(const std::string &program) {
  kernel::Lifted lifted(program);
  EXPECT_EQ(lifted.messages, "");
  std::optional<KernelStencil> best;
  std::string why;
  for (int step = 0; step < lifted.steps(); ++step) {
    const StencilOutcome outcome = stencilOfKernel(lifted.kernel(0, step));
    if (outcome.stencil)
      keepLarger(best, *outcome.stencil);
    else
      why = outcome.why;
  }
  if (!best)
    return why;
  const Stencil &s = best->stencil;
  std::string text = s.name + ": " + std::to_string(s.dimensions) + "-d, radius " + std::to_string(s.radius) +
                     ", " + std::to_string(s.words) + " words, " + std::to_string(best->reads) + " reads" +
                     (best->hasTime ? ", time" : "");
  for (const auto &[name, times] : s.operations)
    text += ", " + std::to_string(static_cast<long>(times)) + " " + name;
  return text;
}

TEST(StencilOfKernel, OneStep) {
  EXPECT_EQ(
      found("transform T from A[w, h] to B[w, h] {"
            "  B.cell(x, y) from(A.cell(x, y) c, A.cell(x - 1, y) l, A.cell(x + 1, y) r, A.cell(x, y - 1) u,"
            "                    A.cell(x, y + 1) d) { return c + 0.1 * (l + r + u + d - 4 * c); }"
            "  secondary B.cell(x, y) from(A.cell(x, y) c) { return c; } }"),
      "T.rule0: 2-d, radius 1, 2 words, 5 reads, 5 fadd, 2 fmul");
}

TEST(StencilOfKernel, TimeIsADimensionOfTheMatrix) {
  EXPECT_EQ(
      found("transform T from A[n] to B[n] through S[n, k + 1] param k {"
            "  S.cell(x, 0) from(A.cell(x) a) { return a; }"
            "  S.cell(x, t) from(S.cell(x - 2, t - 1) l, S.cell(x + 1, t - 1) r) { return (l + r) / 2; }"
            "  secondary S.cell(x, t) from(S.cell(x, t - 1) c) { return c; }"
            "  B.cell(x) from(S.cell(x, k) s) { return s; } }"),
      "T.rule1: 1-d, radius 2, 2 words, 2 reads, time, 1 fadd, 1 fdiv");
}

TEST(StencilOfKernel, TwoStepsBackNeedMoreWords) {
  EXPECT_EQ(found("transform T from A[n] to S[n, k] param k {"
                  "  priority(2) S.cell(x, t) from(A.cell(x) a) { return a; }"
                  "  priority(1) S.cell(x, t) from(S.cell(x - 3, t - 2) l, S.cell(x + 1, t - 1) r) { return "
                  "l - r; } }"),
            "T.rule1: 1-d, radius 2, 4 words, 2 reads, time, 1 fadd");
}

TEST(StencilOfKernel, FieldsOfCoefficients) {
  EXPECT_EQ(found("transform T from A[n], C[n] to B[n] {"
                  "  B.cell(x) from(A.cell(x - 1) l, A.cell(x + 1) r, C.cell(x) c) { return c * (l + r); }"
                  "  secondary B.cell(x) from(A.cell(x) a) { return a; } }"),
            "T.rule0: 1-d, radius 1, 4 words, 3 reads, 1 fadd, 1 fmul");
}

TEST(StencilOfKernel, WhatIsNone) {
  EXPECT_EQ(found("transform T from A[n] to B[n] { B.cell(x) from(A.cell(x) a) { return 2 * a; } }"),
            "its cells need no neighbours");
  EXPECT_EQ(found("transform T from A[n] to B[n] { B.cell(x) from(A.cell(n - 1 - x) a) { return 2 * a; } }"),
            "a cell of A that it reads is at no fixed distance from the cell that it writes");
  EXPECT_EQ(found("transform T from A[n] to B[n] {"
                  "  B.cell(x) from(A.cell(x) a, B.cell(x - 1) b) { return a + b; }"
                  "  secondary B.cell(x) from(A.cell(x) a) { return a; } }"),
            "it has 0 dimensions of space; the model is for 1 to 3");
  EXPECT_EQ(found("transform T from A[n, m] to B[n, m] {"
                  "  B.cell(x, y) from(B.cell(x - 1, y) l, B.cell(x, y - 1) u) { return l + u; }"
                  "  secondary B.cell(x, y) from(A.cell(x, y) a) { return a; } }"),
            "its cells need others of the same step");
}

} // namespace
} // namespace pbc::model
