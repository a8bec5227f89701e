// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/long_loops.h"
#include "tests/unit/emulate/traces.h"
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
  EXPECT_TRUE(emulation.isSteady());
  EXPECT_NEAR(inCycles(emulation.run().time) / 1e12, 600, 6);
}

} // namespace
} // namespace pbc::emulate
