// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The emulator against the specification's figures and against closed forms (bottleneck-analysis.md 10, tests 1 to 3, 6, 9 to 12).
#include "compiler/emulate/occupancy.h"
#include "tests/unit/emulate/traces.h"
#include <chrono>
#include <gtest/gtest.h>

namespace pbc::emulate {
namespace {

const Core kOfFigure5 = coreOf({{500, 100}, {100, 20}});

Trace figure5() { return straight({{0, {}}, {1, {}}, {1, {1}}}); }

double time(const Trace &trace, int threads, const Core &core) {
  return inCycles(emulate(trace, {threads}, core).time);
}

/// bottleneck-analysis.md 2.
double closedForm(double latency, double gap, int chains, int length) {
  return latency > chains * gap ? latency * length + (chains - 1) * gap
                                : latency + (chains * length - 1) * gap;
}

TEST(Emulator, TheWorkedExampleOfFigure5) {
  std::vector<Event> events;
  const Outcome outcome = emulate(figure5(), {3}, kOfFigure5, {}, &events);
  const nlohmann::json &expected = vectorNamed("fig5");
  EXPECT_EQ(inCycles(outcome.time), expected["T"]);
  ASSERT_EQ(events.size(), expected["rows"].size());
  for (const auto &row : expected["rows"]) {
    const std::string name = row["inst"];
    const auto event = std::find_if(events.begin(), events.end(), [&](const Event &e) {
      return "S" + std::to_string(e.thread + 1) + std::to_string(e.instruction + 1) == name;
    });
    ASSERT_NE(event, events.end()) << name;
    EXPECT_EQ(inCycles(event->issue), row["issue"]) << name;
    EXPECT_EQ(inCycles(event->begin), row["begin"]) << name;
    EXPECT_EQ(inCycles(event->finish), row["fin"]) << name;
  }
  const std::vector<std::string> names{"GM", "FU"};
  for (int r = 0; r < 2; ++r) {
    EXPECT_DOUBLE_EQ(outcome.throughput(kOfFigure5, r), number(expected["util_thr"][names[r]]));
    EXPECT_DOUBLE_EQ(outcome.occupied(r), number(expected["util_lat"][names[r]]));
  }
}

TEST(Emulator, ClosedFormsOfTheTable) {
  for (const auto &row : vectorNamed("closed_form"))
    EXPECT_EQ(time(chains(1, row["P"]), row["C"], coreOf({{row["L"], row["G"]}})), row["emulated"]) << row;
}

TEST(Emulator, ClosedFormsOfRandomChains) {
  std::mt19937 random(1);
  const auto upTo = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  int compared = 0;
  while (compared < 2781) {
    const int latency = upTo(1, 200), gap = upTo(1, 40), length = upTo(1, 8), warps = upTo(1, 12),
              each = upTo(1, 4), all = warps * each;
    if (latency < all)
      continue;
    ++compared;
    ASSERT_EQ(time(chains(each, length), warps, coreOf({{latency, gap}})),
              closedForm(latency, gap, all, length))
        << latency << ' ' << gap << ' ' << warps << ' ' << each << ' ' << length;
  }
}

TEST(Emulator, ShortLatenciesFavourRoundRobin) {
  std::mt19937 random(2);
  const auto upTo = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  for (int k = 0; k < 800; ++k) {
    const int warps = upTo(2, 24), length = upTo(1, 12), latency = upTo(1, warps);
    Core core = coreOf({{latency, 1}});
    const double closed = closedForm(latency, 1, warps, length);
    ASSERT_GE(time(chains(1, length), warps, core), closed);
    core.policy = Core::Policy::RoundRobin;
    ASSERT_EQ(time(chains(1, length), warps, core), closed);
  }
}

TEST(Emulator, TransactionsOfUncoalescedAccesses) {
  const nlohmann::json &expected = vectorNamed("coalescing");
  EXPECT_EQ(time(straight({{0, {}, 1}}), 4, kOfFigure5), expected["coalesced"]);
  EXPECT_EQ(time(straight({{0, {}, 32}}), 4, kOfFigure5), expected["uncoalesced_32"]);
}

Trace withBarrier() {
  Trace trace = straight({{0, {}}, {1, {0}}, {0, {}}, {2, {}}});
  trace.instructions[2].isBarrier = true;
  return trace;
}

void compareBarrier(int perBlock, const nlohmann::json &expected) {
  std::vector<Event> events;
  const Outcome outcome =
      emulate(withBarrier(), {4, perBlock}, coreOf({{500, 100}, {30, 2}, {100, 20}}), {}, &events);
  EXPECT_EQ(inCycles(outcome.time), expected["T"]);
  int seen = 0;
  for (const Event &e : events) {
    if (e.instruction == 1)
      EXPECT_EQ(inCycles(e.finish), expected["stores"][static_cast<std::size_t>(e.thread)]);
    if (e.instruction == 3) {
      EXPECT_EQ(inCycles(e.issue), expected["fu_issue"][static_cast<std::size_t>(e.thread)]);
      ++seen;
    }
  }
  EXPECT_EQ(seen, 4);
}

TEST(Emulator, BarriersReleaseABlockAtOnce) {
  compareBarrier(4, vectorNamed("barrier_one_block"));
  compareBarrier(2, vectorNamed("barrier_two_blocks"));
}

TEST(Emulator, BarriersMayReleaseBeforeResultsAreThere) {
  Core core = coreOf({{500, 100}, {30, 2}, {100, 20}});
  const Time drained = emulate(withBarrier(), {4, 4}, core).time;
  core.drains = false;
  EXPECT_LT(emulate(withBarrier(), {4, 4}, core).time, drained);
}

TEST(Emulator, SeveralSchedulersAndDualIssue) {
  const nlohmann::json &expected = vectorNamed("schedulers");
  const Trace trace = straight(std::vector<Step>(8));
  Core core = coreOf({{10, 0.25}});
  EXPECT_EQ(time(trace, 8, core), number(expected["n1"]));
  core.schedulers = 4;
  EXPECT_EQ(time(trace, 8, core), number(expected["n4"]));
  core.width = 2;
  EXPECT_EQ(time(trace, 8, core), number(expected["n4w2"]));
}

TEST(Emulator, CachesTakeTheirShare) {
  const Core core = coreOf({{500, 100}, {250, 25}});
  for (const auto &[rate, expected] : vectorNamed("cache_T_by_hit_rate").items()) {
    Trace trace = straight(std::vector<Step>(4));
    for (Instruction &i : trace.instructions)
      i.nearer = {Share{1, number(nlohmann::json(rate))}};
    const Outcome outcome = emulate(trace, {4}, core);
    EXPECT_EQ(inCycles(outcome.time), expected) << rate;
    EXPECT_DOUBLE_EQ(outcome.uses[1].admissions, 16 * number(nlohmann::json(rate)));
  }
}

TEST(Emulator, AThreadsAccessesAreSpreadEvenly) {
  Trace trace = straight(std::vector<Step>(8));
  for (Instruction &i : trace.instructions)
    i.nearer = {Share{1, 0.625}};
  std::vector<Event> events;
  emulate(trace, {1}, coreOf({{500, 100}, {250, 25}}), {}, &events);
  std::vector<std::string> routes;
  for (const Event &e : events)
    routes.push_back(inCycles(e.finish - e.begin) == 500 ? "GM" : "L2");
  EXPECT_EQ(nlohmann::json(routes), vectorNamed("cache_route_hit_5_8"));
}

TEST(Emulator, FullQueuesStopIssuing) {
  Trace trace = straight(std::vector<Step>(8));
  trace.instructions.push_back({1, 1, {}, {}, 0}); // waits for nothing
  Core core = coreOf({{500, 100}, {10, 1}});
  const auto issueOfLast = [&] {
    std::vector<Event> events;
    emulate(trace, {1}, core, {}, &events);
    return inCycles(events.back().issue);
  };
  EXPECT_EQ(issueOfLast(), 8);
  core.resources[0].queue = 2; // the eighth load is issued when the sixth is admitted
  EXPECT_EQ(issueOfLast(), 501);
}

TEST(Emulator, LargerCostsRarelyShortenTheTime) {
  std::mt19937 random(5);
  const auto upTo = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  int shorter = 0, all = 0;
  for (int k = 0; k < 1500; ++k) {
    std::vector<std::pair<double, double>> costs;
    for (int r = 0; r < 3; ++r)
      costs.emplace_back(upTo(1, 60), upTo(1, 12));
    std::vector<Step> steps(static_cast<std::size_t>(upTo(2, 8)));
    for (std::size_t s = 0; s < steps.size(); ++s) {
      steps[s].resource = upTo(0, 2);
      for (int n = upTo(0, 2); s > 0 && n > 0; --n)
        steps[s].after.push_back(upTo(0, static_cast<int>(s) - 1));
    }
    const Trace trace = straight(steps);
    const int warps = upTo(1, 8);
    const double before = time(trace, warps, coreOf(costs));
    for (auto &[latency, gap] : costs)
      for (double *cost : {&latency, &gap}) {
        const double more = upTo(1, 6);
        *cost += more;
        shorter += time(trace, warps, coreOf(costs)) < before ? 1 : 0;
        ++all;
        *cost -= more;
      }
  }
  EXPECT_LT(shorter, all / 100);
}

TEST(Emulator, TimeGrowsWithAllCostsTogether) {
  std::mt19937 random(7);
  const auto upTo = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  for (int k = 0; k < 200; ++k) {
    const std::vector<std::pair<double, double>> once{{upTo(50, 500), upTo(50, 100)},
                                                      {upTo(50, 500), upTo(50, 100)}};
    std::vector<std::pair<double, double>> thrice = once;
    for (auto &[latency, gap] : thrice)
      latency *= 3, gap *= 3;
    const Trace trace = loadAndUse(upTo(2, 10));
    const int warps = upTo(1, 8);
    EXPECT_NEAR(time(trace, warps, coreOf(thrice)), 3 * time(trace, warps, coreOf(once)),
                0.06 * time(trace, warps, coreOf(once)));
  }
}

TEST(Emulator, TheSameTraceTakesTheSameTime) {
  const Trace trace = loadAndUse(50);
  const Time first = emulate(trace, {13}, kOfFigure5).time;
  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(emulate(trace, {13}, kOfFigure5).time, first);
}

TEST(Emulator, LoopsAreWrittenOut) {
  Trace loop = loadAndUse(1);
  loop.instructions[0].reads = {1}; // the last round's result
  Trace nested = loop;
  loop.loops = {{0, 2, 10}};
  nested.loops = {{0, 2, 5}, {0, 2, 2}};
  for (const int warps : {1, 3, 8}) {
    EXPECT_EQ(emulate(loop, {warps}, kOfFigure5).time, emulate(loadAndUse(10), {warps}, kOfFigure5).time);
    EXPECT_EQ(emulate(nested, {warps}, kOfFigure5).time, emulate(loop, {warps}, kOfFigure5).time);
  }
}

TEST(Emulator, WrongTracesAreRefused) {
  const auto messageOf = [](const Trace &trace) -> std::string {
    try {
      emulate(trace, {1}, kOfFigure5);
    } catch (const std::invalid_argument &e) {
      return e.what();
    }
    return "";
  };
  Trace trace = figure5();
  trace.instructions[1].resource = 2;
  EXPECT_EQ(messageOf(trace), "instruction 1: its resource does not exist");
  trace = figure5();
  trace.instructions[2].reads = {9};
  EXPECT_EQ(messageOf(trace), "instruction 2: one of its registers does not exist");
  trace = figure5();
  trace.loops = {{0, 2, 2}, {1, 3, 2}};
  EXPECT_EQ(messageOf(trace), "loop 1: it is neither inside of loop 0 nor apart from it");
  trace.loops = {{0, 2, 0}};
  EXPECT_EQ(messageOf(trace), "loop 0: it does not run");
  EXPECT_EQ(messageOf(Trace()), "");
}

TEST(Emulator, AMillionInstructionsASecond) {
  Trace trace = loadAndUse(1);
  trace.loops = {{0, 2, 2000}};
  const auto begin = std::chrono::steady_clock::now();
  emulate(trace, {64}, kOfFigure5);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  RecordProperty("instructions_per_second", std::to_string(256000 / took.count()));
  EXPECT_LT(took.count(), 25)
      << "a hundred times slower than the least that test 12 of bottleneck-analysis.md 10 asks for";
}

} // namespace
} // namespace pbc::emulate
