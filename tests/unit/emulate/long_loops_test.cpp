// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/sensitivity.h"
#include "tests/unit/emulate/traces.h"
#include <ctime>
#include <gtest/gtest.h>

namespace pbc::emulate {
namespace {

const Core kCore = coreOf({{500, 100}, {100, 20}});

Trace inLoops(std::vector<Repeat> loops) {
  Trace trace = loadAndUse(1);
  trace.instructions[0].reads = {1};
  trace.loops = std::move(loops);
  return trace;
}

void compare(const Trace &trace, int warps, bool inFlight = true) {
  const Outcome all = emulate(trace, {warps}, kCore), estimated = Emulation(trace, {warps}, kCore).run();
  const auto time = static_cast<double>(all.time);
  EXPECT_NEAR(static_cast<double>(estimated.time), time, 0.01 * time);
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(estimated.uses[r].admissions, all.uses[r].admissions);
    if (inFlight)
      EXPECT_NEAR(static_cast<double>(estimated.uses[r].inFlight), static_cast<double>(all.uses[r].inFlight),
                  0.01 * time);
  }
}

TEST(LongLoops, TakeAsLongAsIfAllRoundsWereEmulated) {
  for (const int warps : {1, 4, 6, 12}) {
    compare(inLoops({{0, 2, 3}}), warps);
    compare(inLoops({{0, 2, 1000}}), warps);
    compare(inLoops({{0, 2, 40}, {0, 2, 50}}), warps);
    compare(inLoops({{0, 2, 100}, {0, 2, 110}, {1, 2, 13}}),
            warps); // 13 instructions on each load: the unit limits
    compare(inLoops({{0, 2, 50}, {1, 2, 6000}}), warps,
            false); // loads of short rounds overlap, those of long ones do not
  }
}

TEST(LongLoops, LoopsOneAfterTheOther) {
  Trace trace = loadAndUse(2);
  trace.instructions[0].reads = {1};
  trace.loops = {{0, 2, 300}, {2, 4, 200}};
  compare(trace, 4);
}

TEST(LongLoops, AMillionRoundsTakeMicroseconds) {
  const Trace trace = inLoops({{0, 2, 1000000}, {0, 2, 1000000}});
  const Emulation emulation(trace, {4}, kCore);
  EXPECT_TRUE(emulation.run().isExact);
  EXPECT_NEAR(inCycles(emulation.run().time) / 1e12, 600, 6);
}

/// A warp of a product that is computed by blocks: copies, a barrier, and then reads from the group's memory and multiply-adds.
Trace product() {
  constexpr int kDram = 0, kShared = 1, kF64 = 2;
  Trace trace;
  trace.registers = 200;
  trace.regions = {{Region::Kind::Copies}, {Region::Kind::Loads}, {Region::Kind::Computing}};
  trace.instructions.push_back({.resource = kDram, .transactions = 16, .writes = {190}, .count = 4});
  trace.instructions.push_back({.reads = {190}, .isBarrier = true});
  for (int k = 0; k < 16; ++k) {
    trace.instructions.push_back(
        {.resource = kShared, .transactions = 12, .writes = {180}, .region = 1, .count = 8});
    for (int row = 0; row < 8; ++row)
      trace.instructions.push_back({.resource = kF64,
                                    .transactions = 8,
                                    .reads = {180, row},
                                    .writes = {row},
                                    .region = 2,
                                    .count = 8});
  }
  trace.instructions.push_back({.isBarrier = true});
  trace.loops = {{0, static_cast<int>(trace.instructions.size()), 64}};
  return trace;
}

Core multiprocessor() {
  Core core = coreOf({{600, 2.5}, {29, 1}, {8, 0.5}});
  core.schedulers = 4;
  core.policy = Core::Policy::RoundRobin;
  core.drains = false;
  return core;
}

TEST(LongLoops, AStateThatRepeatsIsAllRounds) {
  for (const int warps : {4, 8, 12}) {
    const Outcome all = emulate(product(), {warps, 4}, multiprocessor());
    const Trace trace = product();
    const Core core = multiprocessor();
    const Outcome skipped = Emulation(trace, {warps, 4}, core).run();
    EXPECT_NEAR(static_cast<double>(skipped.time), static_cast<double>(all.time),
                0.01 * static_cast<double>(all.time))
        << warps;
  }
}

/// The bar of the project (bottleneck-analysis.md, 10, number 12): 10 ms for 2 |R| + 1 emulations on a machine of today.
TEST(LongLoops, AnAnalysisOfAProductTakesMilliseconds) {
  const Trace trace = product();
  const Core core = multiprocessor();
  const auto begin = std::clock();
  analyse(Emulation(trace, {8, 4}, core), {.halves = false});
  const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  RecordProperty("milliseconds", std::to_string(1e3 * took));
  EXPECT_LT(took, 0.5) << "fifty times longer than it should take";
}

} // namespace
} // namespace pbc::emulate
