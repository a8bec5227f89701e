// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// items(): which points are work-items, where there are none, and the loops of one item. Results are compared by the tests of
// devices, which run every program's kernels.
#include "compiler/kernel/print.h"
#include "compiler/kernel/transform/run.h"
#include "tests/unit/transform/textual.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;
using testing::HasSubstr;

namespace {

/// A kernel of one statement over [0, n) x [0, m), with this value and these loops.
std::string kernelOf(const std::string &value, const std::string &loops = "band y, x",
                     const std::string &domain = "0 <= x < n and 0 <= y < m") {
  return "kernel One [n, m]\n  context n >= 0 and m >= 0\n  buffer A double 2-d input\n  buffer C double 2-d "
         "output\n"
         "  S[x, y]: C[x, y] = " +
         value + "\n    { S[x, y] : " + domain + " }\n  schedule\n    " + loops + "\n";
}

TEST(Items, AreThePointsOfAMap) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(kernelOf("A[x, y] + 1.0")), "items()");
  ASSERT_TRUE(k);
  EXPECT_EQ(treeOf(*k), R"(item:1
  band item1 = y parallel
    item:0
      band item0 = x parallel
)");
  EXPECT_EQ(scheduledLoops(*k), R"(    parallel launch 1: item1 = low1
      if item1 < high1
        parallel launch 0: item0 = low0
          if item0 < high0
            C[item0, item1] = A[item0, item1] + 1.0
)");
  EXPECT_EQ(print(t.kernel(print(*k))), print(*k));
}

/// Other directions are loops of each item.
TEST(Items, AlongSomeDirections) {
  Texts t;
  const Scheduled map = t.kernel(kernelOf("A[x, y] + 1.0"));
  const std::optional<Scheduled> k = t.run(map, "items(y)");
  ASSERT_TRUE(k);
  EXPECT_EQ(scheduledLoops(*k), R"(    parallel launch 0: item0 = low0
      if item0 < high0
        for c0 = 0; c0 < n
          C[c0, item0] = A[c0, item0] + 1.0
)");
  EXPECT_EQ(t.after(map, "items(z)"), "refused: its points cannot run at once along `z`");
  EXPECT_EQ(t.after(t.kernel(kernelOf("C[x, y - 1] + 1.0")), "items(y)"),
            "refused: its points cannot run at once along `y`");
}

/// A launch has the points of one round.
TEST(Items, InRounds) {
  Texts t;
  const std::optional<Scheduled> k = t.run(
      t.kernel(kernelOf("C[x - 1, y] + C[x, y - 1]", "band y, x", "1 <= x < n and 1 <= y < m")), "items()");
  ASSERT_TRUE(k);
  EXPECT_THAT(treeOf(*k), HasSubstr("band round = "));
  EXPECT_EQ(scheduledLoops(*k), R"(    parallel launch 0: item0 = low1
      if item0 < high1
        if low0 >= item0 + 1 and item0 + m >= low0 + 1
          C[item0, low0 - item0] = C[item0 - 1, low0 - item0] + C[item0, low0 - item0 - 1]
)");
  EXPECT_EQ(t.after(t.kernel(kernelOf("C[x - 1, y] + C[x, y - 1]")), "items(x)"),
            "refused: its items wait for each other, in rounds that need all directions");
}

/// A direction of which isl knows the only value belongs to one item all the same.
TEST(Items, HaveTheOnlyPointOfAPiece) {
  Texts t;
  const std::optional<Scheduled> k =
      t.run(t.kernel(kernelOf("A[x, y]", "band y, x", "0 <= x < n and 0 <= y < m and (x = 0 or y = 0)")),
            "items()");
  ASSERT_TRUE(k);
  EXPECT_THAT(scheduledLoops(*k), HasSubstr("item0 = 0"));
  EXPECT_THAT(scheduledLoops(*k), HasSubstr("item1 = 0"));
}

/// Launches have three axes: the numbers of further directions are parts of the last one's.
TEST(Items, OfFourDirections) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(R"(
kernel Four [n]
  context n >= 0
  buffer A double 4-d input
  buffer C double 4-d output
  S[a, b, c, d]: C[a, b, c, d] = A[a, b, c, d]
    { S[a, b, c, d] : 0 <= a < n and 0 <= b < n and 0 <= c < n and 0 <= d < n }
  schedule
    band d, c, b, a
)"),
                                           "items()");
  ASSERT_TRUE(k);
  EXPECT_EQ(scheduledLoops(*k), R"(    parallel launch 2: rest = 0
      let item3 = low3 + rest / (high2 - low2)
      if item3 < high3
        scope
          let item2 = low2 + rest mod (high2 - low2)
          if item2 < high2
            parallel launch 1: item1 = low1
              if item1 < high1
                parallel launch 0: item0 = low0
                  if item0 < high0
                    C[item0, item1, item2, item3] = A[item0, item1, item2, item3]
)");
}

TEST(Items, WhereThereAreNone) {
  Texts t;
  const Scheduled map = t.kernel(kernelOf("A[x, y] + 1.0"));
  EXPECT_EQ(
      t.after(t.kernel(kernelOf("C[x - 1, y] + A[n, y]", "band y, x", "x = 3 and 0 <= y < 1")), "items()"),
      "refused: it has one point only, which would be one work-item");
  EXPECT_EQ(t.after(map, "tasks(); items()"), "refused: its points belong to tasks or items already");
  EXPECT_EQ(t.after(map, "vector(x); items()"), "refused: its loop over `x` is realised as vector already");
  Scheduled own = map;
  own.schedule.target = Target::Processor;
  EXPECT_EQ(t.after(own, "items()"),
            "refused: it is for kernels of devices, and this one runs on the processor");
  own.schedule.target = Target::Device;
  EXPECT_EQ(t.after(own, "tasks()"),
            "refused: it is for kernels of the processor, and this one runs on a device");
}

} // namespace
