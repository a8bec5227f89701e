// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many programs of a recorded space (tests/search/*.record) are measured until one takes at most 5 % longer than the best: visited in the
// order of their predicted times, and in random order. Nothing is measured here. bottleneck-analysis.md 6.3 and 10, test 17.
#include "compiler/search/predict/processor_predictor.h"
#include "compiler/search/record/record.h"
#include "compiler/syntax/parse.h"
#include "runtime/base/machine.h"
#include "tests/unit/sanitized.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace pbc::search {
namespace {

struct Candidate {
  double predicted = 0, measured = 0; // seconds
};

/// How many of `all` are visited until the first of `good` of them is reached, in random order, on average.
double visitsAtRandom(std::size_t all, std::size_t good) {
  return static_cast<double>(all + 1) / static_cast<double>(good + 1);
}

/// In order of predicted times, where those with equal ones come in random order.
double visitsInOrder(std::vector<Candidate> all, double enough) {
  std::ranges::sort(all, {}, &Candidate::predicted);
  std::size_t before = 0;
  while (before < all.size()) {
    const auto same = std::ranges::equal_range(std::ranges::subrange(all.begin() + long(before), all.end()),
                                               all[before].predicted, {}, &Candidate::predicted);
    const auto good = std::ranges::count_if(same, [&](const Candidate &c) { return c.measured <= enough; });
    if (good > 0)
      return static_cast<double>(before) + visitsAtRandom(same.size(), static_cast<std::size_t>(good));
    before += same.size();
  }
  return static_cast<double>(all.size());
}

/// At most so many programs of a record, drawn at random but always the same ones, and always the fastest.
std::vector<std::pair<std::string, double>> drawn(const Record &record, std::size_t most) {
  std::vector<std::pair<std::string, double>> all;
  for (const auto &[script, made] : record.times)
    if (made.fate == Fate::Measured)
      all.emplace_back(script, made.seconds);
  std::ranges::shuffle(all, std::mt19937_64(1));
  const auto best = std::ranges::find(all, fastest(record).first, &std::pair<std::string, double>::first);
  std::swap(all.front(), *best);
  all.resize(std::min(all.size(), most));
  return all;
}

std::vector<Candidate> candidatesOf(const Record &record, std::size_t most) {
  const poly::Context context;
  const kernel::Scheduled lifted = kernelOf(record, context);
  const int widest = std::max(16, record.processor.vectorBytes);
  constexpr int kOfLoops = 32; // bytes of the vectors that Clang makes of loops on these processors
  emulate::ProcessorCore core = emulate::processorCoreOf(record.machine, widest, std::min(widest, kOfLoops));
  if (record.processor.vectorRegisters > 0)
    core.vectorRegisters = record.processor.vectorRegisters;
  const ProcessorPredictor predictor(lifted, record.options.values, core);
  kernel::Scheduler scheduler(lifted);
  std::vector<Candidate> all;
  for (const auto &[text, seconds] : drawn(record, most)) {
    source::SourceManager sources;
    source::Diagnostics diagnostics(sources);
    const auto script = syntax::parseScript(sources.add("script", text), diagnostics);
    if (!script) {
      ADD_FAILURE() << text << ": " << diagnostics.render(false);
      break;
    }
    const kernel::Planned planned = scheduler.follow(*script);
    EXPECT_TRUE(planned.report.refused.empty()) << text;
    all.push_back({predictor.of(planned, {.regions = false, .least = 2, .halves = false}).seconds, seconds});
  }
  return all;
}

/// How many times as many programs are measured in random order as in that of predictions. PBC_PROGRAMS: how many of each record are looked at.
double gain(const std::string &name) {
  constexpr double kEnough = 1.05;
  constexpr std::size_t kSome = kSanitized ? 60 : 150;
  const char *asked = std::getenv("PBC_PROGRAMS");
  const Record record = readRecord(PBC_SOURCE_DIR "/tests/search/" + name + ".record");
  const std::vector<Candidate> all = candidatesOf(record, asked ? std::strtoul(asked, nullptr, 10) : kSome);
  const double enough = kEnough * fastest(record).second;
  const auto good = std::ranges::count_if(all, [&](const Candidate &c) { return c.measured <= enough; });
  const double inOrder = visitsInOrder(all, enough),
               atRandom = visitsAtRandom(all.size(), static_cast<std::size_t>(good));
  fmt::print(
      "{}: of {} programs, {} within 5 %: {:.1f} in the order of predictions, {:.1f} at random: {:.2f} "
      "times as few\n",
      name, all.size(), good, inOrder, atRandom, atRandom / inOrder);
  return atRandom / inOrder;
}

TEST(PredictedOrder, NeedsFewerMeasurements) {
  constexpr double kAtLeast = 2, kOfEach = 0.2;
  double product = 1;
  const std::vector<std::string> names{"product", "scale", "scale_large", "stencil", "sums"};
  for (const std::string &name : names) {
    const double one = gain(name);
    EXPECT_GT(one, kOfEach) << name;
    product *= one;
  }
  const double mean = std::pow(product, 1.0 / static_cast<double>(names.size()));
  fmt::print("geometric mean: {:.2f} times as few\n", mean);
  EXPECT_GT(mean, kAtLeast);
}

TEST(VisitsInOrder, EqualPredictionsAreVisitedAtRandom) {
  EXPECT_EQ(visitsAtRandom(9, 1), 5);
  EXPECT_EQ(visitsInOrder({{2, 1}, {1, 8}, {1, 9}}, 1), 3)
      << "both that are predicted to be faster come first";
  EXPECT_EQ(visitsInOrder({{1, 1}, {1, 8}, {1, 9}}, 1), 2) << "the middle one of three, on average";
  EXPECT_EQ(visitsInOrder({{1, 1}, {2, 1}}, 1), 1);
}

} // namespace
} // namespace pbc::search
