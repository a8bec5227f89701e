// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/abi/step_parts.h"
#include <gmock/gmock.h>
#include <utility>
#include <vector>

namespace pb {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<long, long>> partsOf(Steps all, long most, long unit, long boundary) {
  std::vector<std::pair<long, long>> found;
  cutSteps(all, most, unit, boundary).each([&](Steps k) { found.emplace_back(k.begin, k.end); });
  return found;
}

TEST(StepParts, AreAboutAsLongAsEachOther) {
  EXPECT_THAT(partsOf({0, 10}, 4, 1, 0), ElementsAre(Pair(0, 4), Pair(4, 8), Pair(8, 10)));
  EXPECT_THAT(partsOf({0, 10}, 10, 1, 0), ElementsAre(Pair(0, 10)));
  EXPECT_THAT(partsOf({-3, 9}, 11, 1, 0), ElementsAre(Pair(-3, 3), Pair(3, 9)));
}

TEST(StepParts, EndWhereBlocksEnd) {
  EXPECT_THAT(partsOf({0, 40}, 16, 8, 0), ElementsAre(Pair(0, 16), Pair(16, 32), Pair(32, 40)));
  // Blocks begin with steps 3, 11, ...: the first part is shorter.
  EXPECT_THAT(partsOf({0, 40}, 16, 8, 3), ElementsAre(Pair(0, 11), Pair(11, 27), Pair(27, 40)));
  // Before the steps, behind them, and with parts shorter than a block.
  EXPECT_THAT(partsOf({-7, 9}, 8, 8, -16), ElementsAre(Pair(-7, 0), Pair(0, 8), Pair(8, 9)));
  EXPECT_THAT(partsOf({0, 12}, 3, 8, 100), ElementsAre(Pair(0, 4), Pair(4, 12)));
}

} // namespace
} // namespace pb
