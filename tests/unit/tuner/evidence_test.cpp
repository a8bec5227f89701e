// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reports say of each decision only what was measured of it.
#include "recorded.h"

#include "tuner/report/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbc::tuner {
namespace {

using testing::HasSubstr;
using testing::Not;

const DecisionResult &resultOf(const Part &part, const std::string &title) {
  for (const DecisionResult &result : part.analysis.decisions)
    if (result.decision.title(part.space) == title)
      return result;
  throw std::runtime_error("no decision " + title);
}

/// Sort with a second choice, place, and the number of a step on a device, which counts where place is gpu.
ProgramSpace deviceSpace() {
  ProgramSpace space = sortSpace();
  space.sites.push_back({"Sort", "place", "", {{"cpu", ""}, {"gpu", ""}}, "place"});
  Tunable group;
  group.transform = "Sort";
  group.name = "group";
  group.initial = 4;
  group.minimum = 1;
  group.maximum = 8;
  group.when = {{1, {1}}};
  space.tunables.push_back(group);
  return space;
}

Evidence evidenceOf(Part part) {
  Evidence evidence;
  evidence.program = "./sort";
  evidence.from = "./sort.cfg";
  evidence.journal = "./sort.tune.sqlite";
  evidence.parts.push_back(std::move(part));
  return evidence;
}

TEST(Evidence, OneMeasurementIsNotBlamedOnSeveralNumbers) {
  const ProgramSpace space = deviceSpace();
  const Configuration chosen = sorting(space, 1);
  HandMade journal(space);
  journal.ok(64, sorting(space, 0), {10, 10, 10}).ok(64, chosen, {1, 1, 1});
  journal.ok(64, sorting(space, 1, 512).withSelector(1, Selector(1)).withTunable(1, 7), {1.28, 1.28, 1.28});
  const Part part = partOf(space, chosen, journal.entries(), "");
  ASSERT_TRUE(resultOf(part, "Sort.place").last());
  EXPECT_FALSE(resultOf(part, "Sort.place").last()->isNextTogether);
  EXPECT_FALSE(resultOf(part, "Sort.block").last()) << "block was never changed alone";
  EXPECT_FALSE(resultOf(part, "Sort.group").hasEffect);
  EXPECT_FALSE(resultOf(part, "Sort.group").last());
  EXPECT_FALSE(resultOf(part, "Sort.group").alone);
  const Evidence evidence = evidenceOf(part);
  EXPECT_THAT(explainOne(evidence, "group"), HasSubstr("no effect here"));
  EXPECT_THAT(explainAll(evidence), Not(HasSubstr("Sort.group")));
}

TEST(Evidence, WhereTwoChoicesDifferItIsSaid) {
  const ProgramSpace space = deviceSpace();
  const Configuration chosen = sorting(space, 1);
  HandMade journal(space);
  journal.ok(64, chosen, {1, 1, 1});
  journal.ok(64, sorting(space, 0).withSelector(1, Selector(1)), {2, 2, 2});
  const Part part = partOf(space, chosen, journal.entries(), "");
  EXPECT_TRUE(resultOf(part, "Sort").last()->isNextTogether);
  EXPECT_THAT(explainAll(evidenceOf(part)),
              HasSubstr("2.00 times as slow (2.00 to 2.00), with other choices changed, too"));
}

TEST(Evidence, TheDefaultsTimeIsThatOfAllItsRuns) {
  const ProgramSpace space = sortSpace();
  const Configuration chosen = sorting(space, 1);
  HandMade journal(space);
  journal.ok(64, sorting(space, 0), {12, 13, 12.5, 12.7, 12.4, 12.6, 12.5, 12.8})
      .ok(64, chosen, {1.3, 1.4, 1.35});
  journal.ok(64, sorting(space, 0, 32), {6.4}); // one run
  Part part = partOf(space, chosen, journal.entries(), "");
  const Comparison *last = resultOf(part, "Sort").last();
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->isNextDefault);
  EXPECT_EQ(last->next.seconds, part.analysis.defaultSeconds);
  EXPECT_EQ(last->gap.value, part.analysis.speedup.value);
  part.whenTuned = WhenTuned{"n=64", 10.4, 1.3};
  const std::string text = explainAll(evidenceOf(part));
  EXPECT_THAT(text, HasSubstr("next Merge (the default): "));
  EXPECT_THAT(text, HasSubstr("when it was tuned, at n=64: 1.3 s, the default 10.4 s"));
}

TEST(Evidence, WhatIsFasterThanTheDefaultInManyRunsStandsForItsClass) {
  const ProgramSpace space = sortSpace();
  HandMade journal(space);
  journal.ok(64, sorting(space, 0), {12, 12.1, 12.2}).ok(64, sorting(space, 1), {1, 1, 1});
  journal.ok(64, sorting(space, 0, 32), {6.4, 6.5, 6.4});
  const Part part = partOf(space, sorting(space, 1), journal.entries(), "");
  EXPECT_FALSE(resultOf(part, "Sort").last()->isNextDefault);
  EXPECT_EQ(resultOf(part, "Sort").last()->next.seconds, 6.4);
}

TEST(Evidence, SlownessInOneCombinationIsNotSaidOfTheAlternative) {
  const ProgramSpace space = deviceSpace();
  const Configuration onDevice = sorting(space, 1).withSelector(1, Selector(1));
  HandMade journal(space);
  journal.ok(64, sorting(space, 0), {1}).ok(64, sorting(space, 1), {0.1});
  journal.bad(64, sorting(space, 0).withSelector(1, Selector(1)), Failure::TooSlow, "was stopped", 5);
  const Configuration chosen = sorting(space, 1);
  EXPECT_FALSE(partOf(space, chosen, journal.entries(), "").analysis.faults.at(0).worksElsewhere);
  journal.ok(64, onDevice, {0.11});
  const Part part = partOf(space, chosen, journal.entries(), "");
  EXPECT_EQ(part.analysis.faults.at(0).suspect, "Sort.place with gpu");
  EXPECT_TRUE(part.analysis.faults.at(0).worksElsewhere);
}

TEST(Evidence, SessionsAreTheProcessesThatMeasured) {
  const ProgramSpace space = sortSpace();
  std::vector<JournalEntry> entries = HandMade(space)
                                          .ok(64, sorting(space, 0), {2})
                                          .ok(64, sorting(space, 0), {2})
                                          .wait(60)
                                          .ok(64, sorting(space, 0), {3})
                                          .entries();
  entries[0].session = entries[1].session = "1-17";
  entries[2].session = "2-18";
  const Recording recording = recordingOf(space, entries, "");
  EXPECT_EQ(recording.sessions, 2);
  EXPECT_NEAR(recording.elapsed, 0.5, 1e-6);
}

TEST(Evidence, WhatIsFasterIsCalledFaster) {
  EXPECT_EQ(timesInWords(0.01, Objective()), "100.00 times as fast");
  EXPECT_EQ(timesInWords(1.3, Objective()), "1.30 times as slow");
  const Ratio unsure{.value = 4.7, .interval = Interval{0.96, 8}};
  EXPECT_EQ(gapInWords(unsure, Objective()), "not clear in this noise, 4.70 times the time (0.96 to 8.00)");
  const Ratio equal{.value = 1.01, .interval = Interval{0.96, 1.1}};
  EXPECT_EQ(gapInWords(equal, Objective()), "equal within noise, 1.01 times the time (0.96 to 1.10)");
}

} // namespace
} // namespace pbc::tuner
