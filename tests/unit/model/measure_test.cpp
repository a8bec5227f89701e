// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Properties of measurements that do not depend on the speed of this machine.
#include "compiler/model/machine/machine_file.h"
#include "compiler/model/machine/rates.h"
#include "compiler/model/measure/caches.h"
#include "compiler/model/measure/compute_probe.h"
#include "compiler/model/measure/device_probe.h"
#include "compiler/model/measure/measure_machine.h"
#include "compiler/model/measure/memory_probe.h"
#include "compiler/model/measure/resource_probe.h"
#include "compiler/model/measure/sampling.h"
#include "compiler/model/measure/thread_probe.h"
#include "compiler/model/time/tile_search.h"
#include "tests/unit/sanitized.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace pbc::model {
namespace {

TEST(Sampling, MedianAndSpread) {
  EXPECT_EQ(figureOf({3, 1, 2, 100, 2}, Better::Lower).value, 2);
  EXPECT_EQ(figureOf({3, 1, 2, 100, 2}, Better::Lower).spread, 0.25); // quartiles 2 and 3
  EXPECT_EQ(figureOf({5}, Better::Lower).value, 5);
  EXPECT_EQ(figureOf({5}, Better::Lower).spread, 0);
  EXPECT_EQ(figureOf({1, 3}, Better::Lower).value, 2);
  EXPECT_EQ(figureOf({3, 1, 2, 100, 2}, Better::Lower).best, 1);
  EXPECT_EQ(figureOf({3, 1, 2, 100, 2}, Better::Higher).best, 100);
  EXPECT_THROW(figureOf({}, Better::Lower), std::logic_error);
}

TEST(Sampling, AtLeastAtMostAndNothingThatIsNoFigure) {
  int calls = 0;
  sampled({.least = 7, .most = 9, .seconds = 0}, Better::Lower, [&] { return ++calls; });
  EXPECT_EQ(calls, 7);
  calls = 0;
  sampled({.least = 1, .most = 9, .seconds = 1e9}, Better::Lower, [&] { return ++calls; });
  EXPECT_EQ(calls, 9);
  // A clock that did not advance, and a rate over no time.
  calls = 0;
  const Figure f = sampled({.least = 2, .most = 20, .seconds = 1e9}, Better::Lower, [&] {
    ++calls;
    return calls % 3 == 0 ? 0.0 : calls % 3 == 1 ? std::numeric_limits<double>::infinity() : 4.0;
  });
  EXPECT_EQ(f.value, 4);
  EXPECT_EQ(f.spread, 0);
}

TEST(Sampling, TheFastestOfAFigureWithoutSamplesIsWithinItsSpread) {
  EXPECT_EQ(fastest({10, 0.25, {}}, Better::Higher), 12.5);
  EXPECT_EQ(fastest({10, 0.25, {}}, Better::Lower), 8);
  EXPECT_EQ(fastest({10, 0.25, 11}, Better::Higher), 11);
}

TEST(Sampling, TheFasterOfTwoMeasurementsIsKept) {
  std::optional<Figure> rate, time;
  for (const double best : {20.0, 40.0, 30.0}) {
    keepFaster(rate, {best - 1, 0.1, best}, Better::Higher);
    keepFaster(time, {best + 1, 0.1, best}, Better::Lower);
  }
  EXPECT_EQ(rate->best, 40);
  EXPECT_EQ(rate->value, 39);
  EXPECT_EQ(time->best, 20);
  EXPECT_EQ(time->value, 21);
}

TEST(Sampling, TheTimeOfAStepIsThatOfTheFastestRuns) {
  // A launch costs 100, a step 2; one run in three is disturbed by 50.
  int calls = 0;
  const Figure f = perStep({.least = 8, .most = 8, .seconds = 0}, 10, 110, [&](long steps) {
    return 100.0 + 2.0 * static_cast<double>(steps) + (++calls % 3 ? 0 : 50);
  });
  EXPECT_EQ(f.best, 2);
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

const Resource &resourceOf(const std::vector<Resource> &all, ResourceKind kind) {
  return *std::ranges::find(all, kind, &Resource::kind);
}

// What measured resources have that those of no processor have, in words.
std::vector<std::string> oddities(const std::vector<Resource> &all, double clock) {
  std::vector<std::string> odd;
  const auto check = [&](bool holds, ResourceKind kind, std::string_view what) {
    if (!holds)
      odd.push_back(std::string(nameOf(kind)) + ": " + std::string(what));
  };
  for (const Resource &r : all) {
    const double instructions = fastest(*r.instructions.unit, Better::Higher);
    // One operation in 64 cycles, and at most 16 instructions in one: anything else was removed or is not what
    // was meant to be measured. The clock may move by a factor of two meanwhile.
    check(instructions / clock > 1.0 / 64, r.kind, "fewer than one in 64 cycles");
    // Clang, which compiles for sanitizers, joins additions of one chain.
    if (!kSanitized || (r.kind != ResourceKind::AddI32 && r.kind != ResourceKind::AddI64))
      check(instructions / clock < 32, r.kind, "32 or more in a cycle");
    if (r.numbers.unit)
      check(fastest(*r.numbers.unit, Better::Higher) >= instructions * 0.99, r.kind,
            "less than a number each");
    if (r.latency) {
      check(fastest(*r.latency, Better::Lower) * clock > 0.4, r.kind, "a latency of less than a cycle");
      check(instructions * r.latency->value > 0.9, r.kind, "slower than operations that wait for each other");
    }
    // Clang also writes loops out, so that there are fewer jumps than are counted.
    if (r.kind == ResourceKind::Jump && !kSanitized)
      check(instructions / clock > 0.4 && instructions / clock < 4, r.kind, "not about one in a cycle");
    if (r.kind == ResourceKind::FmaF32 || r.kind == ResourceKind::FmaF64) {
      const double latency = fastest(*r.latency, Better::Lower);
      check(latency * clock > 2 && latency * clock < 16, r.kind, "a latency that is not of 2 to 16 cycles");
      check(instructions * latency > 1.5, r.kind, "chains side by side are not faster than one");
    }
  }
  return odd;
}

TEST(Measure, ResourcesOfACoreHaveTheOrderOfMagnitudeOfProcessors) {
  // A virtual processor may lose most of a measurement's time to another one: what is measured is plausible at least once.
  const Sampling sampling{.least = 15, .most = 15, .seconds = 0};
  std::vector<Resource> all;
  std::vector<std::string> odd;
  for (int attempt = 0; attempt == 0 || (!odd.empty() && attempt < 5); ++attempt) {
    const double clock = fastest(clockRate(sampling), Better::Higher);
    all = measureResources(1, sampling);
    odd = oddities(all, clock);
  }
  EXPECT_THAT(odd, testing::IsEmpty());
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &Resource::kind));
  for (const ResourceKind kind :
       {ResourceKind::Issue, ResourceKind::Load, ResourceKind::Store, ResourceKind::AddF32,
        ResourceKind::DivideF64, ResourceKind::SqrtF32, ResourceKind::MultiplyI64})
    ASSERT_NE(std::ranges::find(all, kind, &Resource::kind), all.end()) << nameOf(kind);
  // A quotient takes longer than a product.
  EXPECT_GT(fastest(*resourceOf(all, ResourceKind::DivideF64).latency, Better::Lower),
            fastest(*resourceOf(all, ResourceKind::MultiplyF64).latency, Better::Lower));
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
    EXPECT_GT(memory.unitBytesPerSecond->value, 1e6) << memory.name;
  }
  EXPECT_GT(m.memories.back().unitCopiedBytesPerSecond->value, 1e7);
  const Rates rates = ratesOf(m);
  EXPECT_GE(rates.clock(), m.clock->value);
  for (const Scope scope : {Scope::Unit, Scope::Machine}) {
    EXPECT_GT(rates.instructions(ResourceKind::Issue, scope), 1e7);
    EXPECT_GT(rates.numbers(ResourceKind::AddF64, scope), 1e7);
    EXPECT_GT(rates.bytes(0, scope), 1e7);
  }
  EXPECT_LT(rates.latency(ResourceKind::Load), 1e-6);
  const Stencil stencil = namedStencil("Jacobi2D");
  if (std::ranges::any_of(m.memories, [](const Memory &memory) { return memory.scope == Scope::Unit; })) {
    const StencilProblem p{stencil, {512, 512, 1}, 64, iterationTime(m, stencil)};
    EXPECT_GE(searchTiles(stencilMachine(m), p).best.time.total, idealTime(stencilMachine(m), p));
  }
}

} // namespace
} // namespace pbc::model
