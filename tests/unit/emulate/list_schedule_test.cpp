// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/list_schedule.h"
#include "tests/unit/emulate/traces.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace pbc::emulate {
namespace {

constexpr int kLoad = 0, kStore = 1, kUnit = 2; // resources

Trace scheduled(const Trace &trace, int window = 32) {
  std::vector<bool> isLoad, isStore;
  for (const Instruction &i : trace.instructions) {
    isLoad.push_back(i.resource == kLoad && !i.isBarrier);
    isStore.push_back(i.resource == kStore && !i.isBarrier);
  }
  return withEarlyLoads(trace, isLoad, isStore, window);
}

std::vector<int> resources(const Trace &trace) {
  std::vector<int> all;
  for (const Instruction &i : trace.instructions)
    all.push_back(i.resource);
  return all;
}

TEST(ListSchedule, LoadsComeFirst) {
  const Trace trace = straight({{kUnit, {}}, {kUnit, {0}}, {kLoad, {}}, {kUnit, {2}}, {kLoad, {}}});
  EXPECT_EQ(resources(scheduled(trace)), (std::vector<int>{kLoad, kLoad, kUnit, kUnit, kUnit}));
}

TEST(ListSchedule, NotInFrontOfWhatTheyNeed) {
  const Trace trace = straight({{kUnit, {}}, {kUnit, {}}, {kLoad, {0}}});
  EXPECT_EQ(resources(scheduled(trace)), (std::vector<int>{kUnit, kLoad, kUnit}));
}

TEST(ListSchedule, NotPastStoresBarriersAndLoops) {
  EXPECT_EQ(resources(scheduled(straight({{kStore, {}}, {kUnit, {}}, {kLoad, {}}}))),
            (std::vector<int>{kStore, kLoad, kUnit}));
  Trace barrier = straight({{kUnit, {}}, {kUnit, {}}, {kLoad, {}}});
  barrier.instructions[1].isBarrier = true;
  EXPECT_EQ(resources(scheduled(barrier)), resources(barrier));
  Trace loop = straight({{kUnit, {}}, {kUnit, {}}, {kLoad, {}}});
  loop.loops = {{1, 3, 5}};
  EXPECT_EQ(resources(scheduled(loop)), (std::vector<int>{kUnit, kLoad, kUnit}));
}

TEST(ListSchedule, NotFurtherThanTheWindow) {
  std::vector<Step> steps(10, Step{kUnit, {}});
  steps.push_back({kLoad, {}});
  const std::vector<int> found = resources(scheduled(straight(steps), 4));
  EXPECT_EQ(std::find(found.begin(), found.end(), kLoad) - found.begin(), 6);
}

/// What each instruction computes, written as a term of what it reads.
std::multiset<std::string> termsOf(const Trace &trace) {
  std::map<int, std::string> values;
  std::multiset<std::string> terms;
  for (const Instruction &i : trace.instructions) {
    std::string term = std::to_string(i.resource) + '(';
    for (const int r : i.reads)
      term += (values.contains(r) ? values[r] : "r" + std::to_string(r)) + ',';
    term += ')';
    for (const int r : i.writes)
      values[r] = term;
    terms.insert(std::move(term));
  }
  return terms;
}

TEST(ListSchedule, EveryRegisterHasTheSameValueWhereItIsRead) {
  std::mt19937 random(3);
  const auto upTo = [&](int most) { return std::uniform_int_distribution(0, most)(random); };
  int moved = 0;
  for (int k = 0; k < 500; ++k) {
    Trace trace;
    trace.registers = 6;
    for (int n = 0; n < 12; ++n) {
      Instruction i{.resource = upTo(2), .reads = {upTo(5), upTo(5)}, .writes = {upTo(5)}};
      i.isBarrier = upTo(9) == 0;
      trace.instructions.push_back(i);
    }
    const Trace made = scheduled(trace);
    EXPECT_EQ(termsOf(made), termsOf(trace));
    moved += resources(made) != resources(trace) ? 1 : 0;
  }
  EXPECT_GT(moved, 100);
}

} // namespace
} // namespace pbc::emulate
