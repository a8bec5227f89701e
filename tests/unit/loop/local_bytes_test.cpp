// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How much memory a group needs: as a number and as C++, which are the same.

#include "compiler/emit/kernel/local_bytes.h"
#include "compiler/loop/lower/lower.h"
#include <gtest/gtest.h>

namespace pbc::emit {
namespace {

TEST(LocalBytes, EachArrayHasWholeLines) {
  const int group[3] = {16, 8, 1}, cells[3] = {8, 4, 1};
  const std::vector<LocalArray> row = {{8, {{0, false, 1, 3}}}};
  EXPECT_EQ(localBytes(row, group, cells), 144); // 18 cells
  EXPECT_EQ(localBytesText(row), "(8L * (1 * (group[0] - 1) + 3) + 15) / 16 * 16");
  const std::vector<LocalArray> two = {{4, {{-1, false, 0, 17}, {1, true, 2, 1}}}, {4, {{0}, {1}, {2}}}};
  EXPECT_EQ(localBytes(two, group, cells), 4 * 17 * 63 + 4 + 4 * 128);
  EXPECT_EQ(localBytesText(two), "(4L * 17 * (2 * (group[1] * cells[1] - 1) + 1) + 15) / 16 * 16 + "
                                 "(4L * group[0] * group[1] * group[2] + 15) / 16 * 16");
  EXPECT_EQ(localBytes({}, group, cells), 0);
  EXPECT_EQ(localBytesText({}), "");
}

TEST(LocalBytes, BuffersPaddingAndTeamsAreCounted) {
  kernel::Scheduled kernel;
  kernel.buffers.emplace_back();
  kernel::Buffer &b = kernel.buffers.back();
  b.role = kernel::Buffer::Role::Group;
  b.element = kernel::Scalar::F32;
  b.ofGroup = {{0, -1, false, 0, 16}, {1, 0, true, 1, 1}};
  b.pad = 4, b.buffers = 2;
  loop::SharedOut teams;
  teams.arrays = {kernel::Scalar::F64};
  const int group[3] = {16, 8, 1}, cells[3] = {8, 8, 1};
  EXPECT_EQ(localBytes(localArrays(kernel, teams), group, cells), 8 * 128 + 2 * 4 * 20 * 128);
}

/// As much as step_loops.cpp declares: two planes, and what points at their edges read beside them.
TEST(LocalBytes, PlanesOfRoundsHaveRowsAround) {
  kernel::Scheduled kernel;
  kernel.buffers.emplace_back();
  kernel.buffers.back().element = kernel::Scalar::F32;
  kernel.schedule.steps.emplace();
  kernel.schedule.steps->kept = {0};
  kernel.schedule.steps->reach = {1, 2};
  const int group[3] = {32, 16, 1}, cells[3] = {2, 8, 1};
  EXPECT_GE(localBytes(localArrays(kernel, {}), group, cells), 4 * (2 * 64 * 128 + 2 * (1 + 2 * 64)));
}

} // namespace
} // namespace pbc::emit
