// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The machine code of the kernels of pbc.sort: what a GPU would wait for can be seen without one.
#include "compiler/cubin/summary.h"
#include "runtime/device/cuda/cuda_api.h"
#include "runtime/device/dialect.h"
#include "runtime/device/library/radix_sort_kernels.h"
#include <gtest/gtest.h>
#include <tuple>

namespace pbc::cubin {
namespace {

using namespace pb::device;

constexpr int kRegisters = 65536, kMostItems = 2048; // of a multiprocessor

class SortCode : public testing::TestWithParam<std::tuple<const char *, pb::ElementKind>> {
protected:
  Function codeOf(SortKernel which) {
    const auto [architecture, element] = GetParam();
    const KernelSource source = sortKernel(which, shape(), element);
    return readCubin(compileCuda(kernelText(kCudaPrelude, source), architecture)).at(0);
  }
  SortShape shape() const {
    const pb::ElementKind element = std::get<1>(GetParam());
    const bool isShort = element == pb::ElementKind::F32 || element == pb::ElementKind::I32;
    return sortShape({.warp = 32, .groupsWait = true}, isShort ? 4 : 8);
  }
  void SetUp() override {
    if (nvrtcVersion().empty())
      GTEST_SKIP() << "this machine has no NVRTC";
  }
};
INSTANTIATE_TEST_SUITE_P(All, SortCode,
                         testing::Combine(testing::Values("sm_80", "sm_90"),
                                          testing::Values(pb::ElementKind::F32, pb::ElementKind::F64,
                                                          pb::ElementKind::I32)));

TEST_P(SortCode, HalfOfTheItemsThatFitAndNothingSpilled) {
  for (const SortKernel which :
       {SortKernel::Histograms, SortKernel::Starts, SortKernel::Pass, SortKernel::Count, SortKernel::Rows}) {
    const Function code = codeOf(which);
    RecordProperty(code.name, std::to_string(code.registers) + " registers, " +
                                  std::to_string(code.groupBytes) + " bytes of a group");
    EXPECT_EQ(code.localBytes, 0) << code.name;
    EXPECT_LE(code.registers * kMostItems / 2, kRegisters) << code.name;
    EXPECT_LE(code.groupBytes * (kMostItems / 2 / shape().items), 160 << 10) << code.name;
  }
}

/// Order means nothing to the histograms. In a pass, a warp loads what lies side by side.
TEST_P(SortCode, WidthsOfLoads) {
  const int bytes = std::get<1>(GetParam()) == pb::ElementKind::F64 ? 8 : 4;
  EXPECT_EQ(summarise(codeOf(SortKernel::Histograms)).globalLoads[16], 4);
  const Summary pass = summarise(codeOf(SortKernel::Pass));
  EXPECT_GE(pass.globalLoads.at(bytes), 2 * shape().keys) << "of a whole tile, and of one at the end";
  EXPECT_EQ(pass.localAccesses, 0);
}

/// The dialect's macros have variables of their own: one of the kernel's with the same name would be read before it is set.
TEST_P(SortCode, NoVariableIsReadBeforeItIsSet) {
  const pb::ElementKind element = std::get<1>(GetParam());
  for (int k = 0; k <= static_cast<int>(SortKernel::Pass); ++k) {
    const KernelSource source = sortKernel(static_cast<SortKernel>(k), shape(), element);
    const std::string text =
        "#pragma nv_diag_error 549\n" + kernelText(kCudaPrelude, source); // a warning else
    EXPECT_NO_THROW(compileCuda(text, std::get<0>(GetParam()))) << source.entry;
  }
}

} // namespace
} // namespace pbc::cubin
