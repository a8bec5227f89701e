// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Records failures, finds the decisions that caused them, and bans alternatives accordingly.
//
//   child {Quick below 100, else Merge} of parent {Merge} ends by signal 11 at n = 4096
//   -> "Sort with QuickSort": ended by signal 11 at n >= 4096
//
// The cause is sought in what the child has and its parent has not. Only the alternative that a successful
// run took at the size n itself is known to have run: alternatives for smaller sizes may never have been
// called.
//
//   broken three times (crash, exit, error), never a success  -> not chosen any more
//   the same, with successes at smaller n only                -> not chosen for sizes from the failure on
//   wrong results twice, no success at such sizes             -> not chosen any more: agreeing was luck
//   wrong results in an examination, or alone                 -> not chosen any more, whatever it did elsewhere
//   too slow three times, no success at such sizes            -> not for such sizes: below a cut-off, and at
//                                                                twice the size, it may be the best; there
//                                                                it is tried again
//
// Invariant: the default (alternative 0) is never banned. Source: requirement 81; tuning-practice.md 3 and 4.
#pragma once
#include "tuner/strategy/evaluator.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pbc::tuner {

struct Fault {
  std::string suspect; // "Sort with QuickSort", "Sort.block = 7", or both
  Failure kind = Failure::Error;
  std::string reason;
  long n = 0;       // the smallest size at which it was seen
  std::string size; // the same in words
  int times = 1;
  /// The suspect is one alternative, and it worked in other configurations at this size or a larger one.
  bool worksElsewhere = false;
};

class Bans {
public:
  void failed(const ProgramSpace &, const Configuration &child, const Configuration &parent, const TestSize &,
              const Rejected &);
  /// The same for a failure that was confirmed: what is wrong at both looks is treated as always wrong. An
  /// alternative that alone causes it is not chosen any more, however often its results have agreed.
  void convicted(const ProgramSpace &, const Configuration &child, const Configuration &parent,
                 const TestSize &, const Rejected &);
  void worked(const Configuration &, const TestSize &);
  /// Whether one more "too slow" there would ban an alternative that is not banned yet.
  bool isLastStrike(const ProgramSpace &, const Configuration &child, const Configuration &parent,
                    const TestSize &) const;

  /// The alternatives of a site that may be chosen for some size.
  std::vector<int> allowed(const ProgramSpace &, int site) const;
  /// Whether the alternative may not be chosen for sizes up to `largest`.
  bool banned(int site, int alternative, long largest) const;
  /// Whether the configuration takes a banned alternative at a size up to n, or at any size one that is
  /// banned for all sizes.
  bool uses(const Configuration &, long n) const;
  /// The configuration without what is banned: replaced by what it takes at n or, if that is banned, by the
  /// default.
  Configuration without(Configuration, long n) const;

  /// One entry for each suspect and kind, without those that are explained by an alternative which alone
  /// causes failures.
  std::vector<Fault> faults() const;

private:
  using Choice = std::pair<int, int>; // site, alternative
  struct Guilt {
    int times = 0;
    long smallest = kNoLimit, largest = -1; // n of a failure
    void add(long n) {
      ++times;
      smallest = std::min(smallest, n);
      largest = std::max(largest, n);
    }
  };
  struct Record {
    Guilt broken, wrong, slow;
    bool isConvicted = false;
    long success = -1; // the largest n at which it was the alternative for n itself and worked
    bool isGuilty(const Guilt &guilt, int times) const {
      return guilt.times >= times && success < guilt.smallest;
    }
  };
  /// What the child takes and its parent does not: choices, and all differences in words. The cause is clear
  /// if there is a single difference, a choice.
  struct Suspects {
    std::vector<Choice> choices;
    std::set<std::string> words;
    bool isOne() const { return choices.size() == 1 && words.size() == 1; }
  };
  /// Whether a level of a site's selector must be changed, in a configuration for sizes up to n.
  bool bansLevel(int site, const Selector &, int level, long n) const;
  static Suspects suspects(const ProgramSpace &, const Configuration &child, const Configuration &parent,
                           long n);

  std::map<Choice, Record> records_;
  struct Entry {
    Fault fault;
    std::optional<Choice> choice; // the suspect, if it is a single alternative
    /// Suspects each of which, if it alone is the cause, explains this entry.
    std::set<std::string> explanations;
  };
  bool worksElsewhere(const Entry &) const;
  /// The suspect that, according to another entry, alone explains this one.
  std::optional<std::string> explanation(const Entry &) const;
  std::map<std::pair<std::string, Failure>, Entry> entries_;
};

} // namespace pbc::tuner
