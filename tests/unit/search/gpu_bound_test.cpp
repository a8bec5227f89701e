// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/count.h"
#include "compiler/search/strategy/search.h"
#include "tests/unit/sanitized.h"
#include "tests/unit/search/descent.h"
#include "tests/unit/search/gpu_examples.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace pbc::search {
namespace {

struct Named {
  std::string name;
  GpuSpace space;
};
std::vector<Named> examples() {
  std::vector<Named> all;
  all.push_back({"map", gpuMap(100000)});
  all.push_back({"scaled vector", gpuScaledVector(1000)});
  all.push_back({"sgemm 1 1", gpuSgemm(256, 1, 1)});
  all.push_back({"sgemm 16 1", gpuSgemm(512, 16, 1)});
  all.push_back({"sgemm 16 4", gpuSgemm(1024, 16, 4)});
  all.push_back({"sgemm 8 8", gpuSgemm(1024, 8, 8)});
  return all;
}

/// Section 10, tests 5 and 6: along every way to a leaf no term falls, and no term is above the leaf's time.
TEST(GpuBound, NoTermFallsOnTheWayDownAndNoneIsAboveTheTime) {
  const GpuRates rates = toyGpu();
  for (const Named &example : examples()) {
    const GpuSpace &space = example.space;
    const GpuBounds bounds(*space.space, space.work, rates);
    const ModelDevice device(*space.space, space.work, rates);
    State state(space.space->problem());
    ASSERT_TRUE(state.propagate());
    std::mt19937_64 random(3);
    int leaves = 0;
    const int enough = testsAll() ? 400 : kSanitized ? 15 : 60;
    for (int descent = 0; descent < 2000 && leaves < enough; ++descent) {
      const State::Mark root = state.mark();
      std::vector<std::vector<GpuTermValue>> way;
      auto look = [&] {
        auto &values = way.emplace_back();
        for (int t = 0; t < int(gpuTerms().size()); ++t)
          values.push_back(bounds.term(t, state));
      };
      look();
      if (descend(state, random, look)) {
        const LeafTime time = device.time(state);
        leaves += time.isMeasured ? 1 : 0;
        for (std::size_t t = 0; t < gpuTerms().size(); ++t)
          for (std::size_t step = 0; step < way.size(); ++step) {
            if (step > 0)
              EXPECT_GE(way[step][t].seconds, way[step - 1][t].seconds * (1 - 1e-9))
                  << example.name << " " << gpuTerms()[t].name << " at step " << step;
            if (time.isMeasured)
              EXPECT_LE(way[step][t].seconds, time.seconds * (1 + 1e-9))
                  << example.name << " " << gpuTerms()[t].name << " at step " << step << " of " << way.size();
          }
      }
      state.undo(root);
    }
    EXPECT_GT(leaves, 10) << example.name;
  }
}

/// A dimension of blocks, and one that may become blocks: 10 or 15 groups on a device that has 10 at once.
struct Waves {
  Waves() {
    Structure s;
    const int five = s.addSize({"five", {5}, false}), two = s.addSize({"two", {2}, false}),
              three = s.addSize({"three", {3}});
    a = s.addDimension({"a", five, Kind::Block});
    b = s.addDimension({"b", two, Kind::Block});
    c = s.addDimension({"c", three, Kind::Block | Kind::For});
    s.addInstruction({"work", {a, b, c}, true});
    s.limits.blockDimensions = 3;
    GpuWork work;
    work.operations.resize(1);
    space = {std::make_unique<Space>(std::move(s)), work};
  }
  int a, b, c;
  GpuSpace space;
};

/// Section 5.4, trap 1, and section 10, test 10.
TEST(GpuWaves, RoundingIsThatOfEachNumberOfGroups) {
  const Waves w;
  State state(w.space.space->problem());
  ASSERT_TRUE(state.propagate());
  {
    const GpuView view(*w.space.space, w.space.work, state);
    EXPECT_EQ(view.groups(), 10);
    // 10 groups end after one wave, and 30 after three waves of a third of the work.
    EXPECT_DOUBLE_EQ(leastWaves(view, 10), 1);
    // 30 groups in two waves: 2/3. The simple formula, two waves for 30 and one for 10, has none of them.
    EXPECT_DOUBLE_EQ(leastWaves(view, 15), 2.0 / 3);
    EXPECT_DOUBLE_EQ(leastWaves(view, 7), 5.0 / 3);
  }
  ASSERT_TRUE(state.decide(w.space.space->kind(w.c), unsigned(Kind::For)));
  EXPECT_DOUBLE_EQ(leastWaves(GpuView(*w.space.space, w.space.work, state), 7), 2);
}

TEST(GpuWaves, NoNumberOfGroupsIsBelowTheLeastWaves) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 2000; ++round) {
    Structure s;
    std::vector<int> dimensions;
    std::vector<double> sizes;
    double certain = 1;
    std::vector<double> open;
    for (int d = 0; d < 4; ++d) {
      const long size = 1 + long(random() % 9);
      const bool isOpen = random() % 2 == 0;
      dimensions.push_back(s.addDimension(
          {"d", s.addSize({"n", {size}}), isOpen ? Kind::Block | Kind::For : KindSet(Kind::Block)}));
      if (isOpen)
        open.push_back(double(size));
      else
        certain *= double(size);
    }
    s.addInstruction({"work", dimensions, true});
    GpuWork work;
    work.operations.resize(1);
    const Space space(std::move(s));
    State state(space.problem());
    ASSERT_TRUE(state.propagate());
    const double resident = double(1 + random() % 20),
                 waves = leastWaves(GpuView(space, work, state), resident);
    double best = HUGE_VAL;
    for (unsigned chosen = 0; chosen < 1u << open.size(); ++chosen) {
      double more = 1;
      for (std::size_t b = 0; b < open.size(); ++b)
        more *= chosen >> b & 1u ? open[b] : 1;
      best = std::min(best, std::ceil(certain * more / resident) / more);
    }
    EXPECT_LE(waves, best * (1 + 1e-12));
    EXPECT_GE(waves, best * (1 - 1e-12)) << "the tightest of the sound ones";
  }
}

/// Section 10, test 11: the lanes that a group of `sizes` threads leaves idle.
double wasteOf(const std::vector<long> &certain, const std::vector<long> &open) {
  Structure s;
  std::vector<int> dimensions;
  for (const long size : certain)
    dimensions.push_back(s.addDimension({"t", s.addSize({"n", {size}}), Kind::Thread}));
  for (const long size : open)
    dimensions.push_back(s.addDimension({"o", s.addSize({"n", {size}}), Kind::Thread | Kind::For}));
  const int work = s.addInstruction({"work", dimensions, true});
  GpuWork does;
  does.operations.resize(1);
  const Space space(std::move(s));
  State state(space.problem());
  EXPECT_TRUE(state.propagate());
  return GpuView(space, does, state).waste(work, 32);
}

TEST(GpuWaste, IsOfTheGroupsSizeAndTheLeastOfThoseThatThereMayBe) {
  EXPECT_DOUBLE_EQ(wasteOf({33}, {}), 31.0 / 33);
  EXPECT_DOUBLE_EQ(wasteOf({32}, {}), 0);
  EXPECT_DOUBLE_EQ(wasteOf({33}, {64}), 0);
  EXPECT_DOUBLE_EQ(wasteOf({8, 4}, {}), 0);
  EXPECT_DOUBLE_EQ(wasteOf({3}, {11}), 31.0 / 33) << "3 threads would waste 29 of 32 lanes, 33 less";
}

/// Threads of a later nest fill no lanes of an earlier one, although they may be its own: then they are the same ones.
TEST(GpuWaste, IsOfTheThreadsOfItsOwnNest) {
  Structure s;
  const int size = s.addSize({"n", {8}});
  const int first = s.addDimension({"first", size, Kind::Thread}),
            second = s.addDimension({"second", size, Kind::Thread});
  const int makes = s.addInstruction({"makes", {first}, true}),
            uses = s.addInstruction({"uses", {second}, true});
  s.edges.emplace_back(makes, uses);
  Communication value{"value", {{first, second}}};
  s.communications.push_back(value);
  GpuWork does;
  does.operations.resize(2);
  does.passed.push_back({makes, uses});
  const Space space(std::move(s));
  State state(space.problem());
  ASSERT_TRUE(state.propagate());
  ASSERT_TRUE(space.order(state, first, second).has(Order::Fused));
  ASSERT_TRUE(space.order(state, first, second).has(Order::Before));
  const GpuView view(space, does, state);
  EXPECT_DOUBLE_EQ(view.waste(makes, 32), 3);
  EXPECT_DOUBLE_EQ(view.waste(uses, 32), 3);
  EXPECT_DOUBLE_EQ(view.mostThreads(), 8);
}

/// Section 10, test 11: idle lanes use no bytes.
TEST(GpuWaste, DoesNotMultiplyBytes) {
  const GpuSpace map = gpuMap(100000);
  State state(map.space->problem());
  ASSERT_TRUE(state.propagate());
  const auto &dimensions = map.space->dimensions();
  ASSERT_TRUE(state.decide(map.space->sizeOf(dimensions[1]), 0));
  ASSERT_TRUE(state.decide(map.space->kind(dimensions[0]), unsigned(Kind::Block)));
  ASSERT_TRUE(state.decide(map.space->kind(dimensions[1]), unsigned(Kind::Thread)));
  const GpuUse use = GpuView(*map.space, map.work, state).use(GpuLevel::Device, 32);
  EXPECT_DOUBLE_EQ(use[std::size_t(GpuResource::Issue)], 3 * 100000 * 16)
      << "groups of 2 threads have 32 lanes";
  EXPECT_LE(use[std::size_t(GpuResource::SecondCache)], 2 * 100000 * 32.0);
}

/// A leaf of the map: which limit it has, with a verdict of section 5.6.
struct Explained {
  GpuBound bound;
  std::string text;
};
Explained explained(long n, unsigned tile, Kind outer, Kind inner, const GpuRates &rates,
                    Cache load = Cache::First) {
  const GpuSpace map = gpuMap(n);
  State state(map.space->problem());
  EXPECT_TRUE(state.propagate());
  const auto &dimensions = map.space->dimensions();
  EXPECT_TRUE(state.decide(map.space->sizeOf(dimensions[1]), tile));
  EXPECT_TRUE(state.decide(map.space->kind(dimensions[0]), unsigned(outer)));
  EXPECT_TRUE(state.decide(map.space->kind(dimensions[1]), unsigned(inner)));
  EXPECT_TRUE(state.decide(map.space->cache(0), unsigned(load)));
  const GpuBounds bounds(*map.space, map.work, rates);
  const GpuBound bound = bounds.of(state);
  return {bound, GpuBounds::explain(bound)};
}

/// Section 10, test 12: one program for each row of section 5.6.
TEST(GpuExplanation, HasARowForEachLimit) {
  const GpuRates toy = toyGpu();
  GpuRates common = toy; // what all units share is slow
  common.perSecond[std::size_t(GpuResource::SecondCache)] = {0, 6.4e10, 2e10};
  const auto device = explained(1 << 16, 5, Kind::Block, Kind::Thread, common, Cache::Second);
  EXPECT_NE(device.text.find("contention of all units"), std::string::npos) << device.text;
  EXPECT_NE(device.text.find("equation (8)"), std::string::npos) << device.text;
  GpuRates narrow = toy; // a unit alone is slower than its share of the device
  narrow.perSecond[std::size_t(GpuResource::Float)] = {1e9, 1e9, 4e11};
  const auto unit = explained(1 << 16, 5, Kind::Block, Kind::Thread, narrow);
  EXPECT_NE(unit.text.find("contention inside of a group"), std::string::npos) << unit.text;
  GpuRates slow = toy; // a thread alone is slow
  slow.perSecond[std::size_t(GpuResource::Issue)][0] = 1e6;
  const auto thread = explained(1 << 10, 5, Kind::Block, Kind::Unroll, slow);
  EXPECT_NE(thread.text.find("contention inside of one thread"), std::string::npos) << thread.text;
  const auto chain = explained(1 << 10, 5, Kind::For, Kind::Thread, toy);
  EXPECT_NE(chain.text.find("dependence chain in a thread"), std::string::npos) << chain.text;
  for (const GpuTerm &term : gpuTerms()) {
    EXPECT_FALSE(term.equation.empty());
    EXPECT_EQ(term.doc.back(), '.');
    EXPECT_EQ(term.remedy.back(), '.');
  }
}

/// The search with a model device.
struct Searched {
  explicit Searched(std::vector<GpuSpace> made, const GpuRates &bounds = toyGpu())
      : rates(toyGpu()), spaces(std::move(made)) {
    for (const GpuSpace &space : spaces)
      devices.emplace_back(*space.space, space.work, rates);
    model = std::make_unique<GpuModel>(
        spaces, bounds, [this](std::size_t root, const State &leaf) { return devices[root].time(leaf); });
  }
  GpuRates rates; // the device's
  std::vector<GpuSpace> spaces;
  std::vector<ModelDevice> devices;
  std::unique_ptr<GpuModel> model;
};

std::vector<GpuSpace> one(GpuSpace space) {
  std::vector<GpuSpace> all;
  all.push_back(std::move(space));
  return all;
}

/// Section 10, tests 7 and 8 with a model device: all leaves are measured, no bound is above a time, and what every strategy finds is the
/// best of all.
TEST(GpuSearch, FindsTheBestOfAllAndNoBoundIsAboveATime) {
  struct Case {
    const char *name;
    std::function<GpuSpace()> make;
    long least; // programs
  };
  const Case cases[] = {{"map", [] { return gpuMap(100000); }, 100},
                        {"scaled vector", [] { return gpuScaledVector(1000); }, 10000},
                        {"sgemm", [] { return gpuSgemm(256, 1, 1); }, 2000}};
  for (const Case &c : cases) {
    if (c.least > (kSanitized ? 100 : 2000) && !testsAll())
      continue; // a minute, or ten of them under sanitizers
    Searched all(one(c.make()));
    const SearchResult everything = search(*all.model, {.measuresAll = true});
    ASSERT_TRUE(everything.best) << c.name;
    EXPECT_GE(everything.statistics.measured, c.least) << c.name;
    EXPECT_EQ(everything.statistics.refuted, 0)
        << c.name << ": " << ::testing::PrintToString(all.model->refutations());
    const auto &tightness = everything.statistics.tightness;
    EXPECT_LE(*std::max_element(tightness.begin(), tightness.end()), 1 + 1e-9) << c.name;
    EXPECT_LT(*std::min_element(tightness.begin(), tightness.end()), 0.99)
        << c.name << ": times are not the bounds";
    for (const Strategy &strategy : strategies()) {
      Searched found(one(c.make()));
      const SearchResult result = search(*found.model, {.strategy = &strategy, .dives = 5});
      ASSERT_TRUE(result.best);
      EXPECT_TRUE(result.isComplete);
      EXPECT_DOUBLE_EQ(result.best->seconds, everything.best->seconds) << c.name << " " << strategy.name;
      EXPECT_LT(result.statistics.measured, everything.statistics.measured) << c.name << " " << strategy.name;
    }
  }
}

/// Section 10, test 9: a model with a wrong figure is found out, and the search stays right without the term.
TEST(GpuSearch, AWrongRateIsReportedAsAnInternalError) {
  Searched right(one(gpuMap(100000)));
  const double best = search(*right.model, {}).best->seconds;
  struct Mutation {
    const char *what;
    std::function<void(GpuRates &)> make;
  };
  const auto slower = [](GpuResource r, GpuLevel level) {
    return [=](GpuRates &rates) { rates.perSecond[std::size_t(r)][std::size_t(level)] /= 4; };
  };
  const Mutation mutations[] = {{"second cache", slower(GpuResource::SecondCache, GpuLevel::Device)},
                                {"words of a unit", slower(GpuResource::Words, GpuLevel::Unit)},
                                {"instructions of a unit", slower(GpuResource::Issue, GpuLevel::Unit)},
                                {"a thread's instructions", slower(GpuResource::Issue, GpuLevel::Thread)},
                                {"latency", [](GpuRates &r) { r.firstCache *= 8, r.arithmetic[0] *= 8; }},
                                {"units", [](GpuRates &r) { r.units = 1; }}};
  for (const Mutation &mutation : mutations) {
    GpuRates wrong = toyGpu();
    mutation.make(wrong);
    Searched all(one(gpuMap(100000)), wrong);
    const SearchResult result = search(*all.model, {.measuresAll = true});
    EXPECT_GT(result.statistics.refuted, 0) << mutation.what;
    ASSERT_FALSE(all.model->refutations().empty()) << mutation.what;
    EXPECT_NE(all.model->refutations().front().find("internal error"), std::string::npos);
    EXPECT_NE(all.model->refutations().front().find("equation"), std::string::npos);
    ASSERT_TRUE(result.best);
    EXPECT_DOUBLE_EQ(result.best->seconds, best) << mutation.what;
  }
}

/// The times of all programs of a map over two loops in tiles. `hasMore`: one of its instructions is in one of them only.
std::set<double> timesOfMap(bool unrolledInOneOrder, bool hasMore, long &programs) {
  Structure s;
  const int size = s.addSize({"n", {64}, false}), tile = s.addSize({"tile", {4}});
  const int i = s.addDimension({"i", size, Kind::Block | Kind::For}),
            x = s.addDimension({"x", tile, Kind::For | Kind::Unroll | Kind::Thread}),
            y = s.addDimension({"y", tile, Kind::For | Kind::Unroll | Kind::Thread});
  const int load = s.addInstruction({"load", {i, x, y}, false}),
            store = s.addInstruction({"store", {i, x, y}, true});
  s.edges = {{load, store}};
  if (hasMore)
    s.edges.push_back({store, s.addInstruction({"alone", {i, y}, true})});
  s.accesses = {{load}, {store, Cache::Second | Cache::None}};
  s.limits = {1024, 3, 3, 64, 48 * 1024, 255};
  s.limits.unrolledInOneOrder = unrolledInOneOrder;
  GpuWork w;
  w.operations.resize(2 + std::size_t(hasMore));
  w.operations.back().count[std::size_t(Number::Float)] = 1;
  w.arrays = {{"A", 1024}, {"B", 1024, 4, true}};
  const std::vector<GpuWork::Stride> along = {{i, 64, {}}, {x, 4}, {y, 16}};
  w.accesses = {{0, false, along}, {1, true, along}};
  const Space space(std::move(s));
  const ModelDevice device(space, w, toyGpu());
  State state(space.problem());
  EXPECT_TRUE(state.propagate());
  std::set<double> times;
  programs = 0;
  const std::function<void()> each = [&] {
    for (int v = 0; v < int(state.domains().size()); ++v)
      if (!state.isDecided(v)) {
        for (Domain rest = state.domain(v); rest != 0; rest &= rest - 1) {
          const State::Mark before = state.mark();
          if (state.decide(v, unsigned(std::countr_zero(rest))))
            each();
          state.undo(before);
        }
        return;
      }
    ++programs;
    times.insert(device.time(state).seconds);
  };
  each();
  return times;
}

/// Copies of a body in another order are the same program: fewer programs, and no time less.
TEST(GpuSearch, UnrolledLoopsInOneOrderLoseNoTime) {
  long any = 0, one = 0;
  EXPECT_EQ(timesOfMap(false, false, any), timesOfMap(true, false, one));
  EXPECT_LT(one, any);
  EXPECT_EQ(timesOfMap(false, true, any), timesOfMap(true, true, one));
  EXPECT_EQ(one, any) << "their bodies differ";
}

/// Section 6: at least 2.7e9 programs by our own count. One of the 36 ways to cut has more than that.
TEST(GpuSgemm, HasMoreProgramsThanTheSpecificationAsks) {
  long double programs = 0;
  for (const auto &[inner, innermost] : {std::pair(4L, 1L), std::pair(1L, 4L), std::pair(16L, 4L)}) {
    const GpuSpace space = gpuSgemm(1024, inner, innermost);
    State root(space.space->problem());
    ASSERT_TRUE(root.propagate());
    programs += countLeaves(root, {.mostStates = 1000, .descents = 100}).leaves;
  }
  EXPECT_GT(programs, 2.7e9L);
}

} // namespace
} // namespace pbc::search
