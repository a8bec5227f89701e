// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Properties of measurements that do not depend on the speed of this machine.
#include "compiler/model/machine/machine_file.h"
#include "compiler/model/measure/caches.h"
#include "compiler/model/measure/measure_machine.h"
#include "compiler/model/measure/memory_probe.h"
#include "compiler/model/measure/sampling.h"
#include "compiler/model/measure/thread_probe.h"
#include "compiler/model/time/tile_search.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <unistd.h>

namespace pbc::model {
namespace {

TEST(Sampling, MedianAndSpread) {
  EXPECT_EQ(figureOf({3, 1, 2, 100, 2}).value, 2);
  EXPECT_EQ(figureOf({3, 1, 2, 100, 2}).spread, 0.25); // quartiles 2 and 3
  EXPECT_EQ(figureOf({5}).value, 5);
  EXPECT_EQ(figureOf({5}).spread, 0);
  EXPECT_EQ(figureOf({1, 3}).value, 2);
  EXPECT_THROW(figureOf({}), std::logic_error);
}

TEST(Sampling, AtLeastAtMostAndNothingThatIsNoFigure) {
  int calls = 0;
  sampled({.least = 7, .most = 9, .seconds = 0}, [&] { return ++calls; });
  EXPECT_EQ(calls, 7);
  calls = 0;
  sampled({.least = 1, .most = 9, .seconds = 1e9}, [&] { return ++calls; });
  EXPECT_EQ(calls, 9);
  // A clock that did not advance, and a rate over no time.
  calls = 0;
  const Figure f = sampled({.least = 2, .most = 20, .seconds = 1e9}, [&] {
    ++calls;
    return calls % 3 == 0 ? 0.0 : calls % 3 == 1 ? std::numeric_limits<double>::infinity() : 4.0;
  });
  EXPECT_EQ(f.value, 4);
  EXPECT_EQ(f.spread, 0);
}

TEST(Caches, AsTheSystemDescribesThem) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("pbc-caches-" + std::to_string(getpid()));
  const auto write = [&](int index, const char *level, const char *type, const char *size,
                         const char *shared) {
    const auto cache = folder / "cache" / ("index" + std::to_string(index));
    std::filesystem::create_directories(cache);
    std::ofstream(cache / "level") << level << "\n";
    std::ofstream(cache / "type") << type << "\n";
    std::ofstream(cache / "size") << size << "\n";
    std::ofstream(cache / "shared_cpu_list") << shared << "\n";
  };
  write(0, "1", "Data", "48K", "0");
  write(1, "1", "Instruction", "32K", "0");
  write(2, "2", "Unified", "2M", "0");
  write(3, "3", "Unified", "32768K", "0-1");
  const std::vector<Cache> caches = cachesOf(folder);
  std::filesystem::remove_all(folder);
  ASSERT_EQ(caches.size(), 3u);
  EXPECT_EQ(caches[0].name, "L1");
  EXPECT_EQ(caches[0].bytes, 48 * 1024);
  EXPECT_EQ(caches[0].scope, Scope::Unit);
  EXPECT_EQ(caches[1].bytes, 2 * 1024 * 1024);
  EXPECT_EQ(caches[2].name, "L3");
  EXPECT_EQ(caches[2].scope, Scope::Machine);
  EXPECT_TRUE(cachesOf("/nowhere").empty());
}

TEST(Measure, ProbesGiveFiguresOnAnyMachine) {
  const Sampling quick{.least = 3, .most = 3, .seconds = 0};
  for (const int threads : {1, 2, 3}) {
    EXPECT_GT(readBandwidth(threads, 1 << 14, quick).value, 0);
    EXPECT_GT(barrierTime(threads, quick).value, 0);
    EXPECT_GT(threadStartTime(threads, quick).value, 0);
  }
  // This also works for memory that is too small for a chain.
  EXPECT_GT(chaseLatency(1, quick).value, 0);
  EXPECT_GT(readBandwidth(1, 1, quick).value, 0);
}

TEST(Measure, TheProcessorIsAMachineThatTheModelsCanUse) {
  const Machine m = readMachine(machineText(measureProcessor({.seconds = 0.1})), "measured");
  EXPECT_EQ(m.kind, MachineKind::Processor);
  EXPECT_GE(m.units, 1);
  EXPECT_GE(m.lanes, 4);
  // No processor has another clock rate, or memory with a latency of minutes.
  EXPECT_GT(m.clock->value, 1e7);
  EXPECT_LT(m.clock->value, 2e10);
  for (const Memory &memory : m.memories) {
    EXPECT_GT(memory.latency->value, 1e-11) << memory.name;
    EXPECT_LT(memory.latency->value, 1) << memory.name;
    EXPECT_LT(memory.bytesPerSecond->value, 1e15) << memory.name;
  }
  const Stencil stencil = namedStencil("Jacobi2D");
  if (std::ranges::any_of(m.memories, [](const Memory &memory) { return memory.scope == Scope::Unit; })) {
    const StencilProblem p{stencil, {512, 512, 1}, 64, iterationTime(m, stencil)};
    EXPECT_GE(searchTiles(stencilMachine(m), p).best.time.total, idealTime(stencilMachine(m), p));
  }
}

} // namespace
} // namespace pbc::model
