// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Groups that follow each other, and a multiprocessor made of a machine's file.
#include "compiler/emulate/device/start.h"
#include "compiler/emulate/emulator.h"
#include "compiler/model/machine/machine_file.h"
#include <gtest/gtest.h>

namespace pbc::emulate {
namespace {

TEST(Start, GroupsAreSpreadOverMultiprocessors) {
  const auto is = [](Wave w, long atOnce, long waves) { return w.atOnce == atOnce && w.waves == waves; };
  EXPECT_TRUE(is(waveOf(262144, 8, 132), 8, 249)); // 1986 groups on one of them
  EXPECT_TRUE(is(waveOf(100, 8, 132), 1, 1));
  EXPECT_TRUE(is(waveOf(132, 8, 132), 1, 1));
  EXPECT_TRUE(is(waveOf(133, 8, 132), 2, 1));
  EXPECT_TRUE(is(waveOf(132 * 9, 8, 132), 8, 2));
  EXPECT_TRUE(is(waveOf(1, 8, 132), 1, 1));
}

const char *const kMachine = R"(name = "Small"
kind = "gpu"
units = 2
lanes = 128
clock = 1e9
[[memory]]
name = "shared"
scope = "unit"
bytes = 49152
[warp.dram]
source = "public"
latency = 500
gap = 2
[warp.l2]
source = "public"
latency = 200
gap = 1
[warp.shared]
source = "public"
latency = 30
gap = 1
[warp.f32]
source = "measured"
latency = 4
gap = 0.25
[warp.f64]
source = "measured"
latency = 8
gap = 0.5
[warp.integer]
source = "measured"
latency = 4
gap = 0.5
[warp.special]
source = "assumed"
latency = 18
gap = 2
)";

GpuCore small(const std::string &more) {
  return gpuCoreOf(model::readMachine(kMachine + more, "small.toml"));
}

const Cost &costOf(const GpuCore &gpu, GpuUnit unit) {
  return gpu.core.resources[static_cast<std::size_t>(placeOf(unit))].cost;
}

TEST(Start, FiguresOfTheFileAreThoseOfTheCore) {
  const GpuCore gpu = small("");
  EXPECT_EQ(static_cast<int>(gpu.core.resources.size()), kGpuUnits);
  EXPECT_EQ(costOf(gpu, GpuUnit::Dram).latency, cycles(500));
  EXPECT_EQ(costOf(gpu, GpuUnit::F32).gap, cycles(0.25));
  EXPECT_EQ(gpu.core.schedulers, 4); // as many as there are products of floats in a cycle
  // Without figures of their own: the second cache's, the group's memory's, and nothing.
  EXPECT_EQ(costOf(gpu, GpuUnit::L1).latency, cycles(200));
  EXPECT_EQ(costOf(gpu, GpuUnit::Shuffle).latency, cycles(30));
  EXPECT_EQ(costOf(gpu, GpuUnit::Start).gap, 0);
  EXPECT_EQ(gpu.assumed, (std::vector<std::string>{"L1", "special functions", "shuffles", "starts of groups",
                                                   "lines of L1"}));
}

TEST(Start, TakesAsLongAsItsGapForEachWarp) {
  const GpuCore gpu = small(
      "[warp.start]\nsource = \"measured\"\ngap = 40\n[warp.barrier]\nsource = \"measured\"\nlatency = 10\n");
  Trace trace;
  trace.registers = 1;
  trace.instructions = {{.resource = placeOf(GpuUnit::F32), .writes = {0}}};
  trace.loops = {{0, 1, 3}};
  const Trace started = withStart(trace, gpu.core);
  EXPECT_EQ(verify(started, kGpuUnits), "");
  EXPECT_EQ(started.loops.front().first, 2);
  EXPECT_EQ(started.regions.back().kind, Region::Kind::Starts);
  // Eight warps: the last one begins after seven gaps and is there after one more; then the barrier, and three operations that do not wait for each other.
  const Time time = emulate::emulate(started, {8, 8}, gpu.core).time;
  EXPECT_GE(time, cycles(8 * 40 + 10 + 4));
  EXPECT_LE(time, cycles(8 * 40 + 10 + 4 + 20));
  // A file that knows nothing of it leaves traces as they are.
  EXPECT_EQ(withStart(trace, small("").core).instructions.size(), 1u);
}

} // namespace
} // namespace pbc::emulate
