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
  EXPECT_EQ(localBytes(row, group, cells, {}), 144); // 18 cells
  EXPECT_EQ(localBytesText(row), "(8L * (1 * (group[0] - 1) + 3) + 15) / 16 * 16");
  const std::vector<LocalArray> two = {{4, {{-1, false, 0, 17}, {1, true, 2, 1}}}, {4, {{0}, {1}, {2}}}};
  EXPECT_EQ(localBytes(two, group, cells, {}), 4 * 17 * 63 + 4 + 4 * 128);
  EXPECT_EQ(localBytesText(two), "(4L * 17 * (2 * (group[1] * cells[1] - 1) + 1) + 15) / 16 * 16 + "
                                 "(4L * group[0] * group[1] * group[2] + 15) / 16 * 16");
  EXPECT_EQ(localBytes({}, group, cells, {}), 0);
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
  EXPECT_EQ(localBytes(localArrays(kernel, teams), group, cells, {}), 8 * 128 + 2 * 4 * 20 * 128);
}

TEST(LocalBytes, SizesOfTheProgramAddCells) {
  kernel::Scheduled kernel;
  kernel.buffers.resize(2);
  for (kernel::Buffer &b : kernel.buffers)
    b.role = kernel::Buffer::Role::Group;
  kernel.buffers[0].ofGroup = {{0, 0, false, 2, 1, {{"r", 2}}}};
  kernel.buffers[1].ofGroup = {{0, -1, false, 0, 0, {{"k", 1}, {"r", 3}}}};
  const std::vector<kernel::SizeOfBuild> sizes{{"k", 1}, {"r", 1}}; // an extent of 0 needs them to be more
  EXPECT_EQ(kernel::sizesOfBuild(kernel), sizes);
  const std::vector<LocalArray> all = localArrays(kernel, {});
  const int group[3] = {16, 1, 1}, cells[3] = {1, 1, 1};
  EXPECT_EQ(localBytes(all, group, cells, {5, 7}), 8 * (2 * 15 + 1 + 2 * 7 + 1) + 8 * (5 + 3 * 7));
  EXPECT_EQ(localBytesText(all), "(8L * (2 * (group[0] - 1) + 1 + 2 * sizes[1]) + 15) / 16 * 16 + "
                                 "(8L * (0 + 1 * sizes[0] + 3 * sizes[1]) + 15) / 16 * 16");
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
  EXPECT_GE(localBytes(localArrays(kernel, {}), group, cells, {}), 4 * (2 * 64 * 128 + 2 * (1 + 2 * 64)));
}

} // namespace
} // namespace pbc::emit
