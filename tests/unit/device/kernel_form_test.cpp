// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which form of a kernel a launch gets: strides, and sizes and offsets at the limit of 32 bits. No cell is touched.
#include "manager_support.h"

#include "runtime/device/kernel_form.h"
#include <gtest/gtest.h>

namespace pb::device::test {
namespace {

struct Sized : Frame {
  Region<double, 2> a;
  long size = 10;
  double factor = 1e300;
};

void touch(const Frame *f, const Box *, DeviceArguments *arguments) {
  arguments->value[0].real = static_cast<const Sized *>(f)->factor;
  arguments->value[1].integer = static_cast<const Sized *>(f)->size;
}

KernelForm formAt(const Sized &frame, long high, long narrow, long low = 0, bool hasRuns = false) {
  const auto region =
      static_cast<unsigned>(reinterpret_cast<const char *>(&frame.a) -
                            reinterpret_cast<const char *>(static_cast<const Frame *>(&frame)));
  const DeviceMatrix matrices[] = {{"A", 2, 8, true, true, false, region}};
  DeviceStep step{};
  step.matrices = matrices, step.matrixCount = 1, step.valueCount = 2, step.realValues = 1;
  step.arguments = touch;
  DeviceKernel kernel{};
  kernel.narrow = narrow;
  kernel.hasRuns = hasRuns;
  Launch launch;
  launch.box = {1, {low}, {high}};
  return formOf(step, kernel, StepArguments(step, &frame, &launch.box), launch);
}

Sized sized(int width, int height, long stride0, long stride1) {
  Sized frame;
  AnyRegion any{};
  any.extent[0] = width, any.extent[1] = height, any.stride[0] = stride0, any.stride[1] = stride1;
  frame.a = Region<double, 2>(any);
  return frame;
}

TEST(KernelForm, NarrowWhereSizesAndLimitsFit) {
  const Sized small = sized(100, 100, 1, 100);
  EXPECT_EQ(formAt(small, 100, 1000), (KernelForm{true, true}));
  EXPECT_EQ(formAt(small, 1001, 1000), (KernelForm{true, false})) << "a limit of the launch";
  EXPECT_EQ(formAt(small, 100, 0), (KernelForm{true, false})) << "a kernel without such a form";
  Sized large = small;
  large.size = -1001;
  EXPECT_EQ(formAt(large, 100, 1000), (KernelForm{true, false})) << "a value";
}

TEST(KernelForm, OffsetsNeed64BitsFrom2To31CellsOn) {
  EXPECT_TRUE(formAt(sized(32767, 65536, 1, 32767), 10, 1 << 30).narrow);
  EXPECT_FALSE(formAt(sized(32768, 65536, 1, 32768), 10, 1 << 30).narrow);
  EXPECT_FALSE(formAt(sized(10, 10, 1, 1L << 28), 10, 1 << 30).narrow) << "a few rows of a large matrix";
  EXPECT_FALSE(formAt(sized(10, 10, 1, -(1L << 28)), 10, 1 << 30).narrow);
}

/// Whether a kernel of teams has indices of 32 bits: a launch over [0, width) x [0, height) with so many parts of each cell.
bool isNarrowTeam(long width, long height, long parts, int values, int items = 256) {
  const Sized frame = sized(10, 10, 1, 10);
  const DeviceStep step{};
  const DeviceTeams teams{nullptr, values, 2};
  DeviceKernel kernel{};
  kernel.narrow = 1 << 30, kernel.teams = &teams;
  Launch launch;
  launch.box = {2, {0, 0}, {width, height}};
  launch.teams.isOne = true, launch.teams.parts = parts;
  launch.group[0] = items;
  return formOf(step, kernel, StepArguments(step, &frame, &launch.box), launch).narrow;
}

TEST(KernelForm, PlacesOfPartsFit) {
  EXPECT_TRUE(isNarrowTeam(1, 1, 1024, 2));
  EXPECT_TRUE(isNarrowTeam((1 << 30) - 1, 2, 1, 1)) << "2^31 - 2 cells";
  EXPECT_FALSE(isNarrowTeam(1 << 30, 2, 1, 1)) << "2^31 cells, each in one part";
  EXPECT_TRUE(isNarrowTeam((1 << 20) - 1, 2, 1024, 1));
  EXPECT_FALSE(isNarrowTeam(1 << 20, 2, 1024, 1)) << "of 1024 parts";
  EXPECT_FALSE(isNarrowTeam((1 << 20) - 1, 2, 1024, 2)) << "with two values";
  EXPECT_TRUE(isNarrowTeam((1 << 30) - 1, 2, 1, 0)) << "a kernel without parts numbers groups";
  EXPECT_FALSE(isNarrowTeam(1 << 30, 1 << 30, 1, 0));
  EXPECT_FALSE(isNarrowTeam(1, 1, 1, 1, 2048)) << "more items than the bounds allow";
  EXPECT_FALSE(isNarrowTeam(1, 1, 2048, 1)) << "more parts";
}

/// A launch in tiles of a x b points over width x height points: 32 bits if the launch's tiles, one behind the other, are that many points.
TEST(KernelForm, FirstPointsOfTilesFit) {
  const auto isNarrow = [](long width, long height, long a, long b) {
    const Sized frame = sized(10, 10, 1, 10);
    const DeviceStep step{};
    DeviceKernel kernel{};
    kernel.narrow = 1 << 30;
    Launch launch;
    launch.box = {2, {0, 0}, {width, height}};
    launch.tile[0] = a, launch.tile[1] = b;
    return formOf(step, kernel, StepArguments(step, &frame, &launch.box), launch).narrow;
  };
  EXPECT_TRUE(isNarrow(1 << 20, 1 << 20, 64, 64));
  EXPECT_TRUE(isNarrow(1L << 29, 1 << 20, 64, 64));
  EXPECT_FALSE(isNarrow(1L << 29, 1 << 20, 1, 64)) << "2^29 tiles, and places of tiles of 64 points";
  EXPECT_FALSE(isNarrow(1L << 31, 1 << 20, 64, 64)) << "a limit of the launch";
  EXPECT_FALSE(isNarrow(1L << 30, 1 << 20, 64, 64)) << "the last place is behind both axes";
}

TEST(KernelForm, PlacesOfAGroupsMemoryFit) {
  const auto isNarrow = [](int items) {
    const Sized frame = sized(10, 10, 1, 10);
    const DeviceStep step{};
    DeviceKernel kernel{};
    kernel.narrow = 1 << 30;
    kernel.localBytes = [](const int *group, const int *cells, const long *) {
      return 1024L * group[0] * cells[0];
    };
    Launch launch;
    launch.box = {1, {0}, {100}};
    launch.group[0] = items, launch.cells[0] = 4;
    return formOf(step, kernel, StepArguments(step, &frame, &launch.box), launch).narrow;
  };
  EXPECT_TRUE(isNarrow(64));
  EXPECT_FALSE(isNarrow(65));
}

/// Rows of a matrix with an owner, which begins at a multiple of 64 bytes.
TEST(KernelForm, WideWhereRowsBeginAtMultiplesOf16Bytes) {
  void *data = nullptr;
  Storage *storage = pb_storage_allocate(8 * 12 * 10, &data);
  const auto isWide = [&](int first, int width, long stride, long low, bool hasRuns = false) {
    AnyRegion any{};
    any.base = static_cast<double *>(data) + first, any.owner = storage;
    any.extent[0] = width, any.extent[1] = 10, any.stride[0] = 1, any.stride[1] = stride;
    Sized frame;
    frame.a = Region<double, 2>(any);
    return formAt(frame, 10, 1000, low, hasRuns).wide;
  };
  EXPECT_TRUE(isWide(0, 10, 12, 0));
  EXPECT_TRUE(isWide(2, 10, 12, 2));
  EXPECT_FALSE(isWide(1, 10, 12, 0)) << "the first cell";
  EXPECT_FALSE(isWide(0, 9, 12, 0)) << "the last cells of a row";
  EXPECT_FALSE(isWide(0, 10, 11, 0)) << "the second row";
  EXPECT_FALSE(isWide(0, 10, 12, 1)) << "a launch that begins at the second cell";
  EXPECT_TRUE(isWide(0, 10, 12, 1, true)) << "runs, of which the first one begins before the launch";
  EXPECT_FALSE(isWide(0, 10, 11, 1, true)) << "the second row, also for runs";
  EXPECT_FALSE(formAt(sized(10, 10, 1, 10), 10, 1000).wide) << "memory of which nothing is known";
  pb_storage_release(storage);
}

TEST(KernelForm, AColumnHasNoUnitStride) {
  EXPECT_FALSE(formAt(sized(10, 10, 7, 1), 10, 1000).unit);
  EXPECT_EQ(macrosOf({true, true, true}), "#define PB_UNIT 1\n#define PB_WIDE 1\n#define PB_INDEX int\n");
  EXPECT_EQ(macrosOf({}), "#define PB_INDEX long\n");
}

} // namespace
} // namespace pb::device::test
