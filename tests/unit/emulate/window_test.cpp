// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cores that begin instructions out of order.
#include "compiler/emulate/long_loops.h"
#include "tests/unit/emulate/traces.h"
#include <gtest/gtest.h>

namespace pbc::emulate {
namespace {

Core processor(const std::vector<std::pair<double, double>> &costs, int width, int window) {
  Core core = coreOf(costs);
  core.width = width;
  core.window = window;
  return core;
}

double perRound(const Trace &body, const Core &core) {
  Trace trace = body;
  trace.loops = {{0, static_cast<int>(body.instructions.size()), 10000}};
  return inCycles(Emulation(trace, {1}, core).run().time) / 10000;
}

TEST(Window, AChainTakesItsLatency) {
  Trace sum = straight({{0, {}}});
  sum.instructions[0].reads = {0};
  EXPECT_NEAR(perRound(sum, processor({{4, 0.5}}, 6, 512)), 4, 0.01);
}

TEST(Window, IndependentChainsShareThePorts) {
  Trace sums = straight(std::vector<Step>(16));
  for (std::size_t k = 0; k < 16; ++k)
    sums.instructions[k].reads = {static_cast<int>(k)};
  EXPECT_NEAR(perRound(sums, processor({{4, 0.5}}, 6, 512)), 8, 0.05);
  for (std::size_t k = 0; k < 16; ++k)
    sums.instructions[k].reads = {static_cast<int>(k % 4)};
  for (std::size_t k = 0; k < 16; ++k)
    sums.instructions[k].writes = {static_cast<int>(k % 4)};
  EXPECT_NEAR(perRound(sums, processor({{4, 0.5}}, 6, 512)), 16, 0.05);
}

TEST(Window, InstructionsOfOtherPortsAreLimitedByTheWidth) {
  std::vector<Step> steps(12);
  for (std::size_t k = 0; k < steps.size(); ++k)
    steps[k].resource = static_cast<int>(k % 3);
  EXPECT_NEAR(perRound(straight(steps), processor({{1, 0.5}, {1, 0.5}, {1, 0.5}}, 4, 512)), 3, 0.02);
}

/// A load of 200 cycles and a chain of 20 additions on it, 80 cycles. A load is taken in when the one a window earlier has retired, which is not
/// before the chain in front of that one has.
TEST(Window, LatencyIsHiddenAsFarAsTheWindowReaches) {
  std::vector<Step> steps{{1, {}}};
  for (int k = 0; k < 20; ++k)
    steps.push_back({0, {k}});
  const Trace body = straight(steps);
  const auto withWindow = [&](int window) {
    return perRound(body, processor({{4, 0.25}, {200, 1}}, 6, window));
  };
  EXPECT_NEAR(withWindow(21), 200, 2);
  EXPECT_NEAR(withWindow(21 * 5), 280. / 6, 1);
  EXPECT_NEAR(withWindow(21 * 10), 280. / 11, 1);
}

/// As a gather, which is one load for each of its cells: the window then reaches over half as many rounds.
TEST(Window, AnInstructionMayTakeSeveralPlaces) {
  std::vector<Step> steps{{1, {}}};
  for (int k = 0; k < 20; ++k)
    steps.push_back({0, {k}});
  Trace body = straight(steps);
  const Core core = processor({{4, 0.25}, {200, 1}}, 6, 21 * 10);
  EXPECT_NEAR(perRound(body, core), 280. / 11, 1);
  body.instructions[0].entries = 22;
  EXPECT_NEAR(perRound(body, core), 280. / 6, 2);
}

/// A later instruction whose operands are there uses a port before an earlier one that still waits.
TEST(Window, PortsAreUsedWhileEarlierInstructionsWait) {
  const Trace trace = straight({{1, {}}, {0, {0}}, {0, {}}});
  std::vector<Event> events;
  emulate(trace, {1}, processor({{4, 1}, {100, 1}}, 4, 64), {}, &events);
  EXPECT_EQ(inCycles(events[1].begin), 100);
  EXPECT_EQ(inCycles(events[2].begin), 0);
}

/// A branch that is guessed wrongly costs its latency once it has begun; what waits in the window goes on meanwhile.
TEST(Window, NothingIsTakenInBehindAWrongGuess) {
  Trace trace = straight({{0, {}}, {1, {}}, {0, {}}});
  const Core core = processor({{100, 1}, {20, 1}}, 4, 64);
  EXPECT_EQ(inCycles(emulate(trace, {1}, core).time), 101);
  trace.instructions[1].redirects = true;
  EXPECT_EQ(inCycles(emulate(trace, {1}, core).time), 120)
      << "the last one begins after the branch's 20 cycles";
  trace.instructions[1].reads = {trace.instructions[0].writes.front()};
  EXPECT_EQ(inCycles(emulate(trace, {1}, core).time), 220) << "the branch itself waits";
}

TEST(Window, TwoThreadsShareThePorts) {
  Trace trace = straight(std::vector<Step>(8));
  trace.loops = {{0, 8, 100}};
  const Core core = processor({{4, 1}}, 8, 64);
  EXPECT_NEAR(inCycles(emulate(trace, {1}, core).time), 800, 10);
  EXPECT_NEAR(inCycles(emulate(trace, {2}, core).time), 1600, 10);
}

} // namespace
} // namespace pbc::emulate
