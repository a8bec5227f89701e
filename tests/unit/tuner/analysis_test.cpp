// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The report of a tuning follows from its journal: winners, gaps and their certainty, which decisions
// mattered, and which caused failures.
#include "recorded.h"

#include "tuner/report/explain.h"
#include "tuner/strategy/random.h"

#include <cmath>
#include <gtest/gtest.h>

namespace pbc::tuner {
namespace {

const DecisionResult &decisionOf(const Part &part, const std::string &title) {
  for (const DecisionResult &result : part.analysis.decisions)
    if (result.decision.title(part.space) == title)
      return result;
  throw std::runtime_error("no decision " + title);
}

TEST(Recording, ReadsSizesAndStopsItsClockInPauses) {
  const ProgramSpace space = sortSpace();
  HandMade journal(space);
  journal.ok(128, sorting(space, 0), {2})
      .ok(64, sorting(space, 0), {1})
      .wait(5000)
      .ok(64, sorting(space, 1), {3});
  journal.bad(128, sorting(space, 1), Failure::Crash, "ended by signal 11");
  const Recording recording = recordingOf(space, journal.entries(), "");
  ASSERT_EQ(recording.sizes.size(), 2u);
  EXPECT_EQ(recording.sizes[0].name, "n=64");
  EXPECT_EQ(recording.sizes[1].n, 128);
  EXPECT_EQ(recording.conditions, "seed=1");
  EXPECT_EQ(recording.sessions, 2);
  EXPECT_NEAR(recording.elapsed, 1.0, 1e-6);
  EXPECT_EQ(recording.trials[0].size, 1);
  EXPECT_EQ(recording.largest, 0) << "the last session measured nothing at n=128";
  EXPECT_EQ(recording.configurations.size(), 2u);
}

TEST(Recording, TakesWhatWasRecordedLikeTheNewest) {
  const ProgramSpace space = sortSpace();
  std::vector<JournalEntry> entries =
      HandMade(space).ok(64, sorting(space, 0), {1}).ok(64, sorting(space, 1), {1}).entries();
  entries[0].size = "n=64 seed=2";
  EXPECT_EQ(recordingOf(space, entries, "").trials.size(), 1u);
  entries[0] = entries[1];
  entries[0].toml = "[Sort]\nblock = 1000000\n";
  entries[0].configurationKey = "of another range";
  const Recording recording = recordingOf(space, entries, "");
  EXPECT_EQ(recording.trials.size(), 1u);
  EXPECT_EQ(recording.unreadable, 1);
}

TEST(Resampling, ItsIntervalsHoldTheTruthMostOfTheTime) {
  Random random(7);
  const auto runs = [&](double seconds, int count) {
    std::vector<double> result;
    for (int i = 0; i < count; ++i)
      result.push_back(seconds * random.lognormal(0.05));
    return result;
  };
  for (const int count : {4, 12}) { // few: the deviations of others; many: their own
    int holds = 0;
    for (int repetition = 0; repetition < 200; ++repetition) {
      std::vector<std::vector<double>> others;
      for (int i = 0; i < 10; ++i)
        others.push_back(runs(1, 5));
      const Ratio ratio = Resampling(others).ratio(runs(1.3, count), runs(1.0, count));
      ASSERT_TRUE(ratio.interval);
      EXPECT_LE(ratio.interval->low, ratio.value);
      EXPECT_GE(ratio.interval->high, ratio.value);
      holds += ratio.interval->low <= 1.3 && ratio.interval->high >= 1.3;
    }
    EXPECT_GE(holds, 176) << "of 200, with " << count << " runs";
  }
}

/// Other programs can only add to times: one run shows that the truth is not far above it.
TEST(Resampling, ADisturbedRunWidensTheIntervalDownwards) {
  Random random(11);
  const auto run = [&](double seconds) {
    return seconds * random.lognormal(0.02) * (random.chance(0.2) ? 10 : 1);
  };
  std::vector<std::vector<double>> others;
  for (int i = 0; i < 40; ++i)
    others.push_back({run(1), run(1), run(1), run(1), run(1)});
  const Resampling noise(others);
  const std::vector<double> fast{1, 1.01, 0.99, 1, 1, 1.01, 0.99, 1};
  int holds = 0;
  for (int repetition = 0; repetition < 200; ++repetition) {
    const Ratio ratio = noise.ratio({run(1.5)}, fast);
    ASSERT_TRUE(ratio.interval);
    EXPECT_LT(ratio.interval->high, 1.5 * ratio.value);
    holds += ratio.interval->low <= 1.5 && ratio.interval->high >= 1.5;
  }
  EXPECT_GE(holds, 180);
}

TEST(Resampling, WithoutRepetitionNothingIsSaidOfNoise) {
  const Ratio ratio = Resampling({{1}, {2}}).ratio({2}, {1});
  EXPECT_DOUBLE_EQ(ratio.value, 2);
  EXPECT_FALSE(ratio.interval);
  EXPECT_FALSE(ratio.isAbove());
}

TEST(Resampling, TheMedianOfFiveHasNoInterval) {
  EXPECT_FALSE(medianOf({1, 2, 3, 4, 5}).interval);
  const Ratio six = medianOf({1, 2, 3, 4, 5, 6});
  ASSERT_TRUE(six.interval);
  EXPECT_EQ(six.interval->low, 1);
  EXPECT_EQ(six.interval->high, 6);
  std::vector<double> many;
  for (int i = 1; i <= 20; ++i)
    many.push_back(i);
  EXPECT_EQ(medianOf(many).interval->low, 6); // ranks 6 and 15, as in tables of the sign test
  EXPECT_EQ(medianOf(many).interval->high, 15);
}

TEST(Decisions, EveryValueHasAClassWithAName) {
  ProgramSpace space = sortSpace();
  space.tunables.push_back(
      {.transform = "Sort", .name = "few", .doc = "", .initial = 2, .minimum = 1, .maximum = 8});
  space.tunables.push_back({.transform = "Sort",
                            .name = "share",
                            .doc = "",
                            .integer = false,
                            .initial = 0.5,
                            .minimum = 0,
                            .maximum = 1});
  space.tunables.push_back(
      {.transform = "Sort", .name = "linear", .doc = "", .initial = 50, .minimum = 0, .maximum = 99});
  const std::vector<Decision> decisions = decisionsOf(space);
  ASSERT_EQ(decisions.size(), 5u);
  const auto nameFor = [&](std::size_t decision, double value) {
    const Configuration configuration =
        Configuration::defaults(space).withTunable(static_cast<int>(decision) - 1, value);
    return decisions[decision].className(space, decisions[decision].classAt(space, configuration, 64));
  };
  EXPECT_EQ(nameFor(1, 1), "1");
  EXPECT_EQ(nameFor(1, 300), "256 to 511");
  EXPECT_EQ(nameFor(1, 4096), "4096");
  EXPECT_EQ(nameFor(2, 8), "8");
  EXPECT_EQ(nameFor(3, 1), "0.875 to 1");
  EXPECT_EQ(nameFor(4, 0), "0 to 12");
  EXPECT_EQ(nameFor(4, 99), "87 to 99");
}

TEST(Analysis, WinnerRunnerUpAndGapBySize) {
  const ProgramSpace space = sortSpace();
  HandMade journal(space);
  const Configuration chosen = sorting(space, 1, 64, 100); // Merge below 100, Quick from there on
  journal.ok(64, sorting(space, 0), {1.0, 1.02, 0.98}).ok(64, sorting(space, 1), {2.0, 2.1, 1.9});
  journal.ok(128, sorting(space, 0), {6.0, 6.1, 5.9}).ok(128, sorting(space, 1), {4.2, 4.1, 4.0});
  journal.ok(128, sorting(space, 1, 128, 100), {9.0}).ok(128, chosen, {4.0, 4.1, 3.9});
  const Part part = partOf(space, chosen, journal.entries(), "");
  const DecisionResult &sort = decisionOf(part, "Sort");
  ASSERT_EQ(sort.at.size(), 2u);
  EXPECT_EQ(sort.at[0].winner.number, 0);
  EXPECT_EQ(sort.at[0].next.number, 1);
  EXPECT_NEAR(sort.at[0].gap.value, 2, 1e-9);
  EXPECT_TRUE(sort.at[0].gap.isAbove());
  EXPECT_EQ(sort.at[1].winner.number, 1);
  EXPECT_EQ(sort.at[1].winner.seconds, 4.0) << "the configuration's own times";
  EXPECT_EQ(sort.at[1].next.seconds, 6.0);
  EXPECT_EQ(sort.last(), &sort.at[1]);
  EXPECT_EQ(sort.winner, 1);
  EXPECT_NEAR(part.analysis.speedup.value, 1.5, 1e-9);
  const DecisionResult &block = decisionOf(part, "Sort.block");
  ASSERT_TRUE(block.last());
  EXPECT_EQ(block.decision.className(space, block.last()->next.number), "128 to 255");
}

TEST(Analysis, OneLuckyRunIsNotTheBest) {
  const ProgramSpace space = sortSpace();
  HandMade journal(space);
  journal.ok(64, sorting(space, 0), {1.0, 1.3, 0.8, 1.0}).ok(64, sorting(space, 1, 1), {1.9});
  journal.ok(64, sorting(space, 1, 2), {2.0, 2.0, 2.0, 2.0, 2.0});
  const Part part = partOf(space, sorting(space, 0), journal.entries(), "");
  EXPECT_EQ(decisionOf(part, "Sort").last()->next.runs, 5);
}

TEST(Analysis, WhatWasStoppedIsKnownFromBelowOnly) {
  const ProgramSpace space = sortSpace();
  HandMade journal(space);
  journal.ok(64, sorting(space, 0), {1, 1.01, 0.99});
  journal.bad(64, sorting(space, 1), Failure::TooSlow, "was stopped after 5 s", 5);
  const Part part = partOf(space, sorting(space, 0), journal.entries(), "");
  const Comparison *last = decisionOf(part, "Sort").last();
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->gap.isAtLeast);
  EXPECT_NEAR(last->gap.value, 5, 1e-9);
  EXPECT_TRUE(last->gap.isAbove());
}

/// Times depend on the alternative alone, or on the block alone: the analysis must find out which.
TEST(Analysis, SharesFollowWhatTimesFollow) {
  const ProgramSpace space = sortSpace();
  for (const bool byBlock : {false, true}) {
    Random random(3);
    HandMade journal(space);
    for (int i = 0; i < 12; ++i)
      for (const int alternative : {0, 1}) {
        const double block = std::exp2(i);
        const double seconds = byBlock ? 1 + i : 1 + 2 * alternative;
        journal.ok(64, sorting(space, alternative, block), {seconds * random.lognormal(0.02)});
      }
    const Part part = partOf(space, sorting(space, 0, 1), journal.entries(), "");
    const DecisionResult &sort = decisionOf(part, "Sort"), &block = decisionOf(part, "Sort.block");
    const DecisionResult &guilty = byBlock ? block : sort, &innocent = byBlock ? sort : block;
    EXPECT_GT(guilty.share, 0.95);
    EXPECT_LT(innocent.share, 0.05) << "classes by chance are taken off";
    EXPECT_EQ(sort.pairs, 12);
    ASSERT_TRUE(sort.alone && sort.alone->interval);
    EXPECT_NEAR(sort.alone->value, byBlock ? 1 : 3, 0.1);
    EXPECT_LT(sort.alone->interval->high, byBlock ? 1.1 : 3.3);
  }
}

TEST(Analysis, NamesWhoIsToBlame) {
  const ProgramSpace space = sortSpace();
  HandMade journal(space);
  journal.ok(64, sorting(space, 0), {1}).ok(64, sorting(space, 1), {2}).ok(64, sorting(space, 1, 8), {2});
  for (const double block : {64.0, 8.0, 32.0})
    journal.bad(64, sorting(space, 2, block), Failure::Crash, "ended by signal 11");
  const Part part = partOf(space, sorting(space, 0), journal.entries(), "");
  ASSERT_FALSE(part.analysis.faults.empty());
  EXPECT_EQ(part.analysis.faults[0].suspect, "Sort with Bad");
  const ClassRecord &bad = decisionOf(part, "Sort").classes.at(2);
  EXPECT_EQ(bad.rejections, 3);
  EXPECT_NE(bad.reason.find("ended by signal 11"), std::string::npos);
  EXPECT_EQ(part.analysis.rejected, 3);
}

/// Sort.rounds for one size bin.
Tunable roundsFor(int bin) {
  Tunable rounds;
  rounds.transform = "Sort";
  rounds.name = "rounds";
  rounds.initial = rounds.minimum = 1;
  rounds.maximum = 9;
  rounds.sizeBin = bin;
  return rounds;
}

TEST(Analysis, BlamesNothingThatTheSizeDoesNotSee) {
  ProgramSpace space = sortSpace();
  space.tunables.push_back(roundsFor(10));
  HandMade journal(space);
  journal.ok(64, sorting(space, 0), {1});
  journal.bad(64, sorting(space, 0, 8).withTunable(1, 5), Failure::Exit, "ended with exit status 3");
  const Part part = partOf(space, sorting(space, 0), journal.entries(), "");
  ASSERT_EQ(part.analysis.faults.size(), 1u);
  EXPECT_EQ(part.analysis.faults[0].suspect, "Sort.block = 8");
}

TEST(Explain, SizesThatSayNothingNewAreCounted) {
  ProgramSpace space = sortSpace();
  for (int bin = 0; bin < 31; ++bin)
    space.tunables.push_back(roundsFor(bin));
  const Configuration chosen = sorting(space, 0).withTunable(5, 3);
  HandMade journal(space);
  journal.ok(64, chosen, {1});
  Evidence evidence;
  evidence.parts.push_back(partOf(space, chosen, journal.entries(), ""));
  const std::string text = explainOne(evidence, "Sort.rounds");
  EXPECT_NE(text.find("Sort.rounds for n from 16: 3\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("for n from 1024"), std::string::npos) << text;
  EXPECT_NE(text.find("\nand for 29 other sizes: as for the one before"), std::string::npos) << text;
}

TEST(Analysis, ProgressGoesDownOnly) {
  const ProgramSpace space = sortSpace();
  HandMade journal(space);
  journal.ok(64, sorting(space, 0), {4}).ok(64, sorting(space, 1), {2}).ok(64, sorting(space, 1, 8), {3});
  journal.ok(64, sorting(space, 1, 16), {1});
  const Part part = partOf(space, sorting(space, 1, 16), journal.entries(), "");
  ASSERT_EQ(part.analysis.progress.size(), 1u);
  const ProgressLine &line = part.analysis.progress[0];
  EXPECT_EQ(line.byDefault, 4);
  ASSERT_EQ(line.points.size(), 3u);
  EXPECT_EQ(line.points[2].trial, 4);
  EXPECT_EQ(line.points[2].seconds, 1);
  EXPECT_NEAR(line.points[2].at, 1.5, 1e-6);
}

TEST(Analysis, AnEmptyJournalIsNoAccident) {
  const ProgramSpace space = sortSpace();
  const Part part = partOf(space, Configuration::defaults(space), {}, "");
  EXPECT_EQ(part.recording.largest, -1);
  EXPECT_EQ(part.analysis.decisions.size(), 2u);
  EXPECT_FALSE(decisionOf(part, "Sort").last());
}

} // namespace
} // namespace pbc::tuner
