// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops of which isl does not find the cases within its budgets.
#include "compiler/emit/kernel/nest.h"
#include "tests/unit/transform/textual.h"
#include <gmock/gmock.h>

using namespace pbc;
using testing::HasSubstr;

namespace {

const char *const kMap = R"(
kernel Map [n]
  context n >= 0
  buffer A double 2-d input
  buffer B double 2-d output
  S[x, y]: B[x, y] = A[x, y]
    { S[x, y] : 0 <= x <= y < n }
  schedule
    band y
      band x
)";

TEST(Nest, OfTooManyCasesRunsOverAllPoints) {
  kernel::Texts texts;
  const kernel::Scheduled map = texts.kernel(kMap);
  EXPECT_EQ(emit::kernelNest(map).note, "");
  EXPECT_THAT(emit::kernelNest(map, false, 1).note, HasSubstr("conditions inside choose"));
}

TEST(Nest, IsNoneIfThatTakesTooLong) {
  kernel::Texts texts;
  EXPECT_THROW(emit::kernelNest(texts.kernel(kMap), false, 1, 1), emit::NoLoops);
}

} // namespace
