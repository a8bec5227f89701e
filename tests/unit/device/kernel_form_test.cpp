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

KernelForm formAt(const Sized &frame, long high, long narrow) {
  const auto region =
      static_cast<unsigned>(reinterpret_cast<const char *>(&frame.a) -
                            reinterpret_cast<const char *>(static_cast<const Frame *>(&frame)));
  const DeviceMatrix matrices[] = {{"A", 2, 8, true, true, false, region}};
  DeviceStep step{};
  step.matrices = matrices, step.matrixCount = 1, step.valueCount = 2, step.realValues = 1;
  step.arguments = touch;
  DeviceKernel kernel{};
  kernel.narrow = narrow;
  const Box box{1, {0}, {high}};
  return formOf(step, kernel, StepArguments(step, &frame, &box), box);
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

TEST(KernelForm, AColumnHasNoUnitStride) {
  EXPECT_FALSE(formAt(sized(10, 10, 7, 1), 10, 1000).unit);
  EXPECT_EQ(macrosOf({true, true}), "#define PB_UNIT 1\n#define PB_INDEX int\n");
  EXPECT_EQ(macrosOf({}), "#define PB_INDEX long\n");
}

} // namespace
} // namespace pb::device::test
