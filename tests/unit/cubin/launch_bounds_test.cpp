// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a kernel says of its groups bounds the registers that NVRTC gives to its items: a group can be launched, and as many groups as were
// asked for fit on a multiprocessor.
#include "compiler/cubin/cubin.h"
#include "runtime/device/cuda/cuda_api.h"
#include "runtime/device/dialect.h"
#include <gtest/gtest.h>
#include <string>

namespace pbc::cubin {
namespace {

using namespace pb::device;

constexpr int kRegistersOfAll = 65536; // of a multiprocessor
constexpr int kSums = 144;             // that an item keeps, besides what it reads

/// An item with so many sums, in groups of that many items.
Function manySums(int items, const std::string &groupsAtOnce, const char *architecture) {
  const std::string sums = std::to_string(kSums);
  KernelSource source;
  source.entry = "pb_sums";
  source.group[0] = items;
  if (!groupsAtOnce.empty())
    source.text = "#undef PB_LEAST_GROUPS\n#define PB_LEAST_GROUPS " + groupsAtOnce + "\n";
  source.text +=
      "PB_KERNEL(pb_sums)(PB_GLOBAL const float *a, PB_GLOBAL float *b, long n)\n{\n  PB_BEGIN\n  float s[" +
      sums + "];\n#pragma unroll\n  for (int r = 0; r < " + sums +
      "; ++r) s[r] = a[r];\n#pragma unroll 1\n"
      "  for (long k = 0; k < n; ++k) {\n    const float x = a[k * PB_G0 + PB_LOCAL_ID(0)];\n#pragma "
      "unroll\n    for (int r = 0; r < " +
      sums + "; ++r) s[r] = s[r] * x + s[(r + 1) % " + sums +
      "];\n  }\n#pragma unroll\n  for (int r = 0; r < " + sums + "; ++r) b[PB_ID(0) * " + sums +
      " + r] = s[r];\n  PB_END\n}\n";
  return readCubin(compileCuda(kernelText(kCudaPrelude, source), architecture)).at(0);
}

class LaunchBounds : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (nvrtcVersion().empty())
      GTEST_SKIP() << "this machine has no NVRTC";
  }
};
INSTANTIATE_TEST_SUITE_P(All, LaunchBounds, testing::Values("sm_80", "sm_90"));

TEST_P(LaunchBounds, WhatNothingIsSaidOfHasTheRegistersItNeeds) {
  const Function code = manySums(256, "", GetParam());
  EXPECT_GE(code.registers, kSums);
  EXPECT_EQ(code.localBytes, 0);
}

TEST_P(LaunchBounds, LargeGroupsCanBeLaunched) {
  EXPECT_LE(manySums(1024, "", GetParam()).registers, kRegistersOfAll / 1024);
}

TEST_P(LaunchBounds, TwoGroupsFitWhereThatWasAskedFor) {
  EXPECT_LE(manySums(256, "PB_GROUPS_OF(128)", GetParam()).registers, kRegistersOfAll / (2 * 256));
  EXPECT_GE(manySums(256, "PB_GROUPS_OF(129)", GetParam()).registers, kSums)
      << "items with so many leave no room for two";
}

TEST_P(LaunchBounds, AsManyGroupsAsThereAreRegistersFor) {
  EXPECT_LE(manySums(256, "PB_GROUPS_FILLING(64)", GetParam()).registers, kRegistersOfAll / (4 * 256));
  EXPECT_LE(manySums(128, "PB_GROUPS_FILLING(100)", GetParam()).registers, kRegistersOfAll / (5 * 128));
}

} // namespace
} // namespace pbc::cubin
