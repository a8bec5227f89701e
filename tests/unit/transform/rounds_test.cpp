// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// rounds(): the bands of a wavefront's tiles, the loops of a group in its tile, and where there are none. Which functions there are is
// tested in tests/unit/kernel/group_tiles_test.cpp; results are compared by tests/devices/tiles.py.
#include "compiler/kernel/print.h"
#include "tests/unit/transform/textual.h"
#include <gmock/gmock.h>

using namespace pbc::kernel;

namespace {

std::string waveOf(const std::string &value, const std::string &domain) {
  return "kernel One [n, m]\n  context n >= 0 and m >= 0\n  buffer A double 2-d input\n  buffer C double 2-d "
         "output\n"
         "  S[x, y]: C[x, y] = " +
         value + "\n    { S[x, y] : " + domain + " }\n  schedule\n    band y, x\n";
}
const std::string kPlane = waveOf("C[x - 1, y] + C[x, y - 1]", "1 <= x < n and 1 <= y < m");

TEST(Rounds, OfAPlane) {
  Texts t;
  const std::optional<Scheduled> k = t.run(t.kernel(kPlane), "rounds()");
  ASSERT_TRUE(k);
  EXPECT_EQ(treeOf(*k), R"(rounds
  band round = x + y
    summand:1
      band tile1 = y parallel
        summand:0
          band tile0 = x parallel
)");
  EXPECT_EQ(scheduledLoops(*k), R"(    parallel groups 0: at0 = first0
      let at1 = diagonal - at0
      let begin0 = low0 + at0 * tile0
      let end0 = min(begin0 + tile0, high0)
      let begin1 = low1 + at1 * tile1
      let end1 = min(begin1 + tile1, high1)
      let past = at1 < 0 or begin1 >= end1 ? begin0 + begin1 : end0 + end1 - 1
      parallel items 0: lane0 = 0
        for round = begin0 + begin1; round < past
          let stop0 = min(end0, round - begin1 + 1)
          for item0 = max(begin0, round - (end1 - 1)) + lane0; item0 < stop0; step PB_G0
            let item1 = round - item0
            C[item0, item1] = C[item0 - 1, item1] + C[item0, item1 - 1]
          barrier
)");
  EXPECT_EQ(print(t.kernel(print(*k))), print(*k));
}

/// A function that is no summand has all its values in each round.
TEST(Rounds, OfRows) {
  Texts t;
  const std::optional<Scheduled> k = t.run(
      t.kernel(waveOf("C[x - 1, y - 1] + C[x + 1, y - 1]", "1 <= x < n - 1 and 1 <= y < m")), "rounds()");
  ASSERT_TRUE(k);
  EXPECT_EQ(treeOf(*k), R"(rounds
  band round = y
    summand:1
      band tile1 = y parallel
        tile:0
          band tile0 = x + y parallel
            band x parallel
)");
  EXPECT_THAT(scheduledLoops(*k), testing::HasSubstr("for item0 = begin0 + lane0; item0 < stop0; step PB_G0\n"
                                                     "            let item1 = round\n"));
}

TEST(Rounds, WhereThereAreNone) {
  Texts t;
  EXPECT_EQ(t.after(t.kernel(waveOf("A[x, y] + 1.0", "0 <= x < n and 0 <= y < m")), "rounds()"),
            "refused: its points need no rounds");
  EXPECT_EQ(t.after(t.kernel(kPlane), "items(); rounds()"),
            "refused: its points belong to tasks or items already");
  EXPECT_EQ(t.after(t.kernel(kPlane), "rounds(); stage(A)"),
            "refused: the items of a group compute more than a point each already");
}

} // namespace
