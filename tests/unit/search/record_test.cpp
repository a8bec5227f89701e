// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Spaces of which every program was measured (tests/search/*.record): no program is below its bound, and every search finds the
// fastest one, whatever its strategy and the order of its decisions. lower-bound-search.md, section 10, tests 7 to 9.
#include "compiler/model/machine/rates.h"
#include "compiler/search/count.h"
#include "compiler/search/measure/fastest_run.h"
#include "compiler/search/prove/nest_model.h"
#include "compiler/search/prove/rates_of.h"
#include "compiler/search/record/record.h"
#include "compiler/search/strategy/search.h"
#include "tests/unit/sanitized.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbc::search {
namespace {

/// A record with its model.
class Recorded {
public:
  explicit Recorded(const std::string &path, double faster = 1)
      : record(readRecord(path)), model(kernelOf(record, context_), record.options, rates(faster), times_) {}

  /// Calls `visit(root, leaf, seconds)` for each program that was measured. The number of all programs.
  template <class Visit>
  long each(const Visit &visit) const {
    long leaves = 0;
    for (std::size_t root = 0; root < model.roots(); ++root) {
      State state(model.problem(root));
      if (!state.propagate())
        continue;
      enumerate(state, [&](const State &leaf) {
        ++leaves;
        const auto made = record.times.find(script::line(model.script(root, leaf.domains())));
        if (made == record.times.end())
          ADD_FAILURE() << "not in the record: " << script::line(model.script(root, leaf.domains()));
        else if (made->second.fate == Fate::Measured)
          visit(root, leaf, made->second.seconds);
        return made != record.times.end();
      });
    }
    return leaves;
  }

private:
  poly::Context context_; // outlives the spaces

  /// Those of the machine, or of one that is so many times as fast.
  Rates rates(double faster) const {
    Rates made = ratesOf(record.machine, record.processor);
    for (Rates::Arithmetic &a : made.arithmetic) {
      for (double *rate : {&a.additions, &a.allAdditions, &a.multiplications, &a.divisions, &a.roots,
                           &a.instructions, &a.additionInstructions, &a.multiplicationInstructions})
        *rate *= faster;
      for (double *latency : {&a.additionLatency, &a.multiplicationLatency})
        *latency /= faster;
    }
    made.loads *= faster;
    made.stores *= faster;
    for (Rates::Level &level : made.levels)
      level.bytesPerSecond *= faster;
    return made;
  }

public:
  const Record record;

private:
  RecordedTimes times_{record};

public:
  NestModel model;
};

class Records : public testing::TestWithParam<std::string> {};

TEST_P(Records, NoProgramIsBelowItsBound) {
  const Recorded recorded(GetParam());
  double leastOfRoots = HUGE_VAL;
  for (std::size_t root = 0; root < recorded.model.roots(); ++root) {
    State state(recorded.model.problem(root));
    if (state.propagate())
      leastOfRoots = std::min(leastOfRoots, recorded.model.bound(root, state).seconds);
  }
  EXPECT_GT(leastOfRoots, 0);
  EXPECT_LE(leastOfRoots, fastest(recorded.record).second);
  long measured = 0, below = 0;
  std::vector<double> ratios;
  const long leaves = recorded.each([&](std::size_t root, const State &leaf, double seconds) {
    const RegionBound bound = recorded.model.bound(root, leaf);
    ++measured;
    ratios.push_back(bound.seconds / seconds);
    if (bound.seconds > seconds && below++ < 5)
      ADD_FAILURE() << script::line(recorded.model.script(root, leaf.domains())) << " took " << seconds
                    << " s: " << recorded.model.explain(root, leaf);
  });
  EXPECT_EQ(below, 0);
  // Some scripts have a step that does not apply.
  EXPECT_GE(measured, 2000) << "of " << leaves;
  std::sort(ratios.begin(), ratios.end());
  const auto quartile = [&](std::size_t q) { return ratios[(ratios.size() - 1) * q / 4]; };
  fmt::print("{}: {} programs, bound / time {:.2f}, {:.2f}, {:.2f}, {:.2f}, {:.2f}\n", recorded.record.name,
             leaves, quartile(0), quartile(1), quartile(2), quartile(3), quartile(4));
}

TEST_P(Records, EverySearchFindsTheFastest) {
  Recorded recorded(GetParam());
  const double wanted = fastest(recorded.record).second;
  for (const Strategy &strategy : strategies())
    for (unsigned seed = 0; seed <= (kSanitized ? 1u : 5u); ++seed) {
      const SearchResult found =
          search(recorded.model, {.strategy = &strategy, .seed = seed, .isAnyOrder = seed > 0});
      const std::string which = fmt::format("{}, {}", strategy.name,
                                            seed == 0 ? "order of the table" : fmt::format("order {}", seed));
      ASSERT_TRUE(found.best) << which;
      EXPECT_LE(found.best->seconds, 1.02 * wanted) << which;
      EXPECT_TRUE(found.isComplete) << which;
      EXPECT_EQ(found.bound, found.best->seconds) << which;
      EXPECT_EQ(found.statistics.refuted, 0) << which;
      fmt::print("{}: {} measured, of {} scripts, {} regions divided\n", which, found.statistics.measured,
                 recorded.record.times.size(), found.statistics.divided);
    }
}

/// Bounds that are too high are noticed: those of a machine with a quarter of the rates are above some times.
TEST_P(Records, ARateThatIsTooLowIsRefuted) {
  const Recorded recorded(GetParam(), 0.25);
  long above = 0;
  recorded.each([&](std::size_t root, const State &leaf, double seconds) {
    above += recorded.model.bound(root, leaf).seconds > seconds;
  });
  EXPECT_GT(above, 0);
}

std::vector<std::string> recordFiles() {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(PBC_SOURCE_DIR "/tests/search"))
    if (entry.path().extension() == ".record")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}
INSTANTIATE_TEST_SUITE_P(, Records, testing::ValuesIn(recordFiles()),
                         [](const auto &info) { return std::filesystem::path(info.param).stem().string(); });

/// A machine's file says how many jumps it takes; without, it is more than processors take.
TEST(RatesOfMachines, JumpsAreMeasuredOrTwoInACycle) {
  Record record = readRecord(recordFiles().front());
  model::Machine &machine = record.machine;
  std::erase_if(machine.resources, [](const auto &r) { return r.kind == model::ResourceKind::Jump; });
  EXPECT_DOUBLE_EQ(ratesOf(machine, record.processor).jumps, 2 * 1.05 * model::ratesOf(machine).clock());
  machine.resources.push_back({model::ResourceKind::Jump, {}, {{}, model::Figure{1e9}, {}}, {}});
  EXPECT_DOUBLE_EQ(ratesOf(machine, record.processor).jumps, 1.05e9);
}

/// The thread's clock may leave out more than was taken from it.
TEST(FastestRun, IsOneThatNothingDisturbed) {
  FastestRun runs;
  EXPECT_EQ(runs.seconds(), HUGE_VAL);
  runs.add(0.7, 3.0);
  EXPECT_FALSE(runs.hasUndisturbed());
  EXPECT_EQ(runs.seconds(), 0.7) << "there is no other one";
  runs.add(1.1, 1.11);
  runs.add(1.0, 1.01);
  runs.add(0.8, 1.0);
  EXPECT_TRUE(runs.hasUndisturbed());
  EXPECT_EQ(runs.seconds(), 1.01);
}

class RecordFile : public testing::Test {
protected:
  ~RecordFile() override { std::filesystem::remove(path); }
  std::string path = testing::TempDir() + "record_test.record";
  Record record{
      "Scale",
      "kernel Scale [n]\n",
      {.values = {{"n", 100}}, .tileSizes = {4, 8}, .mostLevels = 1, .copiesInputs = false, .unrolled = 16},
      {.name = "here",
       .kind = model::MachineKind::Processor,
       .source = "test",
       .units = 2,
       .lanes = 8,
       .clock = model::Figure{3e9}},
      {.processor = "A processor", .vectorBytes = 32, .vectorRegisters = 16},
      "2026-11-26",
      "vector(x)",
      1.25e-6,
      {{"", {Fate::Measured, 1.23456e-6}},
       {"scalar(x)", {Fate::Measured, 2e-3}},
       {"scalar(y); vector(x)", {Fate::Wrong}},
       {"tile(x; 4)", {Fate::TimedOut}}}};
};

TEST_F(RecordFile, IsReadAsItWasWritten) {
  writeRecord(record, path);
  const Record read = readRecord(path);
  EXPECT_EQ(read.name, record.name);
  EXPECT_EQ(read.kernel, record.kernel);
  EXPECT_EQ(read.options.values, record.options.values);
  EXPECT_EQ(read.options.tileSizes, record.options.tileSizes);
  EXPECT_EQ(read.options.mostLevels, 1);
  EXPECT_FALSE(read.options.copiesInputs);
  EXPECT_EQ(read.options.unrolled, 16);
  EXPECT_EQ(read.machine.name, "here");
  EXPECT_EQ(read.processor.vectorRegisters, 16);
  EXPECT_EQ(read.defaultSeconds, 1.25e-6);
  ASSERT_EQ(read.times.size(), 4u);
  EXPECT_EQ(read.times.at("").seconds, 1.2346e-6);
  EXPECT_EQ(read.times.at("scalar(x)").seconds, 2e-3);
  EXPECT_EQ(read.times.at("scalar(y); vector(x)").fate, Fate::Wrong);
  EXPECT_EQ(read.times.at("tile(x; 4)").fate, Fate::TimedOut);
  EXPECT_EQ(fastest(read), std::pair(std::string(), 1.2346e-6));
}

TEST_F(RecordFile, OneThatIsNoneIsRefused) {
  const auto problem = [&] {
    try {
      readRecord(path);
    } catch (const std::runtime_error &e) {
      return std::string(e.what());
    }
    return std::string("it was read");
  };
  EXPECT_THAT(problem(), testing::HasSubstr("cannot be read"));
  std::ofstream(path) << "{\"pbc_record\": 99}\n";
  EXPECT_THAT(problem(), testing::EndsWith("is no record of this version"));
  writeRecord(record, path);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THAT(problem(), testing::HasSubstr("record"));
  std::ofstream(path) << "{\"pbc_record\": 1, \"name\": 5}\n";
  EXPECT_THAT(problem(), testing::HasSubstr("is damaged"));
}

} // namespace
} // namespace pbc::search
