// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a recording says of a configuration: how the search went, for each decision the winner and what came
// next, how much each decision mattered, and what was rejected. This component gives numbers only; explain.h
// and page.h print them.
//
//   Analysis analysis = analyse(space, recording, configuration);
//   analysis.decisions[0].at[2]
//       ->  n=4096: MergeSort 1.20 ms, then QuickSort, 1.31 times as slow (1.25 to 1.38)
//
// How it is computed:
//
// * The time of a class of a decision (decision.h) at a size is that of the best configuration recorded there
//   that decides so: everything else was tuned for it, so this is what a user could have instead. The best
//   configuration is the one with the lowest median after an allowance for how seldom it was measured, so
//   that one lucky run wins nothing. If the default decides so, another one stands for the class only if it is
//   faster beyond noise: readers take the time of the default's alternative for the default's time.
// * One measurement is no evidence about several decisions. A tunable is compared with configurations that differ
//   in nothing else that a call of that size reads; a choice with those that make all other choices alike, because its
//   tunables must fit it. If there is none for a choice, the best one is taken, and isNextTogether says so.
// * What the chosen configuration does not read (the work-groups of a step on the processor) has no comparison.
// * The winner is what the configuration decides, with its own times where it was measured; the gap is the
//   ratio of medians, and its interval is bootstrapped (resampling.h).
// * `share` is the part of the variance of the logarithms of times at the largest size that the classes of
//   this decision alone explain: epsilon squared of a one-way analysis of variance, which subtracts what as
//   many classes would explain by chance. Decisions that changed together are both credited, so shares need
//   not add up to 1.
// * `alone` compares pairs of configurations that differ, for calls of that size, in this decision only: it
//   is the median of their ratios, with its interval by order statistics. No other decision is mixed into it.
// * A run that was stopped at its time limit counts with that limit, because it takes at least as long.
// * Faults are found by going through the trials again as the tuner did (strategy/bans.h); each is compared
//   with the nearest configuration that had worked until then.
//
// Invariant: the same input gives the same numbers; nothing depends on the machine that computes them.
// Source: tuning-practice.md 6; Kelley 1935 for epsilon squared; Hutter et al. 2014 for the question.
#pragma once
#include "tuner/report/decision.h"
#include "tuner/report/recording.h"
#include "tuner/report/resampling.h"
#include "tuner/strategy/bans.h"

namespace pbc::tuner {

/// The best recorded configuration of one class at one size.
struct Best {
  int number = -1; // the class; -1: none
  double seconds = 0;
  int runs = 0;
  bool isAtLeast = false; // it never ended before its time limit
};

/// One decision at one size.
struct Comparison {
  int size = 0;
  Best winner, next;           // the configuration's class, and the fastest of the others
  Ratio gap;                   // next / winner
  bool isNextDefault = false;  // `next` is the default configuration
  bool isNextTogether = false; // other choices differ from the winner's, too
  int fastest() const { return gap.value < 1 && !gap.isAtLeast ? next.number : winner.number; }
};

/// One class of a decision, over all sizes.
struct ClassRecord {
  int number = 0;
  int configurations = 0, runs = 0; // measured, at all sizes
  int rejections = 0;               // trials of configurations that decide so and were rejected
  // why it cannot be chosen, if the class alone caused failures: "crash at n >= 64: ended by ..."
  std::string reason;
  bool isBanned = false; // not chosen any more at the largest size
};

struct DecisionResult {
  Decision decision;
  int winner = 0;                   // class at the largest size
  bool hasEffect = true;            // the chosen configuration reads it; if not, `at` and `alone` are empty
  std::vector<ClassRecord> classes; // those that were tried or, for a site, that exist
  std::vector<Comparison> at;       // by size, where the winner's class was measured
  double share = 0;
  int pairs = 0;
  std::optional<Ratio> alone; // the median ratio of the others to the winner's class
  /// At the largest size where there is another class to compare with; null if there is none.
  const Comparison *last() const;
};

struct ProgressPoint {
  int trial = 0; // 1, 2, ...
  double at = 0, seconds = 0;
};

struct ProgressLine {
  int size = 0;
  double byDefault = 0;              // seconds; 0: not measured
  std::vector<ProgressPoint> points; // each is better than those before it
};

struct Analysis {
  std::vector<DecisionResult> decisions;
  std::vector<ProgressLine> progress; // by size
  std::vector<Fault> faults;
  int measured = 0, rejected = 0, runs = 0;     // trials with times, trials without, single runs
  std::vector<std::pair<Failure, int>> kinds;   // of rejections
  double deviation = 0;                         // relative, of one run at the largest size
  double defaultSeconds = 0, chosenSeconds = 0; // medians at the largest size; 0: not measured
  Ratio speedup;                                // default / chosen, if both were
};

Analysis analyse(const ProgramSpace &, const Recording &, const Configuration &chosen);

} // namespace pbc::tuner
