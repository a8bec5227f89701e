// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What NVIDIA's compiler makes of the kernels that measure a GPU: the loop has the instructions whose time it is taken for, each as often as
// is claimed, each on the result of the one before, and hardly anything else. No GPU is needed.
#include "compiler/cubin/cubin.h"
#include "compiler/cubin/operands.h"
#include "compiler/model/measure/warp_kernels.h"
#include "runtime/device/cuda/cuda_api.h"
#include "runtime/device/dialect.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <tuple>

namespace pbc::model {
namespace {

using cubin::Instruction;
using cubin::Kind;

constexpr int kLooped = static_cast<int>(WarpUnit::Start); // units whose kernels have a loop
constexpr int kLoopControl = 8; // instructions of a turn besides: the counter, the branch, copies

/// The instructions of the largest loop.
std::vector<Instruction> loopOf(const cubin::Function &f) {
  std::vector<Instruction> best;
  for (const Instruction &i : f.instructions)
    if (i.kind == Kind::Branch && i.target < i.place) {
      std::vector<Instruction> body;
      for (const Instruction &j : f.instructions)
        if (j.place >= i.target && j.place <= i.place)
          body.push_back(j);
      if (body.size() > best.size())
        best = body;
    }
  return best;
}

bool isClaimed(WarpUnit unit, const Instruction &i) {
  const unsigned code = i.word[0] & 0x1ff;
  switch (unit) {
  case WarpUnit::F32:
    return i.kind == Kind::MultiplyAdd && cubin::pipeOf(i.word) == cubin::Pipe::F32;
  case WarpUnit::F64:
    return i.kind == Kind::MultiplyAdd && cubin::pipeOf(i.word) == cubin::Pipe::F64;
  case WarpUnit::Integer:
    return code == 0x012 || code == 0x010 || code == 0x036 ||
           code == 0x024; // LOP3, and IADD3, VIADD or IMAD as an addition
  case WarpUnit::Special:
    return code == 0x108; // MUFU
  case WarpUnit::Shared:
    return i.kind == Kind::SharedLoad;
  case WarpUnit::L1:
  case WarpUnit::L2:
  case WarpUnit::Dram:
    return i.kind == Kind::GlobalLoad && i.bytes == 8;
  case WarpUnit::Shuffle:
    return i.kind == Kind::Shuffle;
  case WarpUnit::Barrier:
    return i.kind == Kind::Barrier;
  case WarpUnit::Start:
  case WarpUnit::Lines:
    break;
  }
  return false;
}

class WarpKernelCode : public testing::TestWithParam<std::tuple<const char *, int, int>> {};
INSTANTIATE_TEST_SUITE_P(All, WarpKernelCode,
                         testing::Combine(testing::Values("sm_80", "sm_90"), testing::Range(0, kLooped),
                                          testing::Values(1, 4)));

TEST_P(WarpKernelCode, TheLoopIsWhatIsClaimed) {
  if (pb::device::nvrtcVersion().empty())
    GTEST_SKIP() << "this machine has no NVRTC";
  const auto [architecture, number, chains] = GetParam();
  const auto unit = static_cast<WarpUnit>(number);
  if (unit == WarpUnit::Barrier && chains > 1)
    GTEST_SKIP() << "a barrier has one chain";
  SCOPED_TRACE(nameOf(unit));
  const WarpKernel kernel = warpKernel(unit, chains);
  const cubin::Function code =
      cubin::readCubin(
          pb::device::compileCuda(
              pb::device::kernelText(pb::device::kCudaPrelude,
                                     {.text = kernel.text, .entry = kWarpEntry, .group = {256, 1, 1}}),
              architecture))
          .at(0);
  EXPECT_EQ(code.localBytes, 0);
  const std::vector<Instruction> loop = loopOf(code);
  const auto claimed =
      std::count_if(loop.begin(), loop.end(), [&](const Instruction &i) { return isClaimed(unit, i); });
  EXPECT_GE(claimed, kernel.operations * chains);
  EXPECT_LE(claimed, kernel.operations * chains + kLoopControl); // the counter is an addition, too
  EXPECT_LE(loop.size(), static_cast<std::size_t>(kernel.operations * chains + kLoopControl));

  if (unit == WarpUnit::Barrier)
    return;
  // Each chain has one register at a time: an instruction reads what the last one of its chain wrote.
  std::vector<int> lastOf; // by chain, in the order in which chains begin
  int breaks = 0;
  for (const Instruction &i : loop) {
    if (!isClaimed(unit, i))
      continue;
    const cubin::Operands o = cubin::operandsOf(i.word);
    const auto chain = std::find_if(lastOf.begin(), lastOf.end(), [&](int r) {
      return std::find(o.reads.begin(), o.reads.end(), r) != o.reads.end();
    });
    if (chain == lastOf.end()) {
      ++breaks;
      lastOf.push_back(o.writes.empty() ? -1 : o.writes.front());
    } else {
      *chain = o.writes.front();
    }
  }
  EXPECT_GE(breaks, chains);
  EXPECT_LE(breaks, chains + 2); // the counter
}

TEST(WarpKernels, TheOthersAreCompiledToo) {
  if (pb::device::nvrtcVersion().empty())
    GTEST_SKIP() << "this machine has no NVRTC";
  const auto codeOf = [](const std::string &text, const char *entry) {
    return cubin::readCubin(pb::device::compileCuda(
                                pb::device::kernelText(pb::device::kCudaPrelude,
                                                       {.text = text, .entry = entry, .group = {256, 1, 1}}),
                                "sm_90"))
        .at(0);
  };
  const auto stores = [](const cubin::Function &f) {
    return std::count_if(f.instructions.begin(), f.instructions.end(),
                         [](const Instruction &i) { return i.kind == Kind::GlobalStore; });
  };
  EXPECT_EQ(stores(codeOf(warpWayKernel(), kWarpWayEntry)), 1);
  EXPECT_EQ(stores(codeOf(warpStartKernel(), kWarpStartEntry)), 1); // behind a condition that never holds
}

} // namespace
} // namespace pbc::model
