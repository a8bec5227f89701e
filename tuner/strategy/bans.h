// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Failures, whose fault they are, and which alternatives are therefore no longer tried.
//
//   child {Quick below 100, else Merge} of parent {Merge} ends by signal 11 at n = 4096
//   -> "Sort with QuickSort": ended by signal 11 at n >= 4096
//
// The fault is sought in what the child has and its parent has not. Only the alternative that a success took
// at the size n itself is known to have run: levels further down may never have been reached.
//   broken three times (crash, exit, error), never a success  -> not chosen any more
//   the same, with successes at smaller n only                -> not chosen for sizes from the failure on
//   wrong results twice, no success at such sizes             -> not chosen any more: agreeing was luck
//   wrong results in an examination, or alone   -> not chosen any more, whatever it did elsewhere
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
  std::string size; // the same for people
  int times = 1;
};

class Bans {
public:
  void failed(const ProgramSpace &, const Configuration &child, const Configuration &parent, const TestSize &,
              const Rejected &);
  /// The same for a failure that was looked at again: what is wrong now and then is never right. An
  /// alternative that is guilty alone is not chosen any more, however often its results have agreed.
  void convicted(const ProgramSpace &, const Configuration &child, const Configuration &parent,
                 const TestSize &, const Rejected &);
  void worked(const Configuration &, const TestSize &);
  /// Would being too slow there ban an alternative that is not banned yet?
  bool isLastStrike(const ProgramSpace &, const Configuration &child, const Configuration &parent,
                    const TestSize &) const;

  /// The alternatives of a site that may be chosen for some size.
  std::vector<int> allowed(const ProgramSpace &, int site) const;
  /// May the alternative not be chosen for sizes up to `largest`?
  bool banned(int site, int alternative, long largest) const;
  /// Does the configuration take a banned alternative at a size up to n, or at any size one that is banned
  /// for all of them?
  bool uses(const Configuration &, long n) const;
  /// The same with what is taken at n, or else the default, instead of what is banned.
  Configuration without(Configuration, long n) const;

  /// One entry for each suspect and kind, without those that an alternative which is guilty alone explains.
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
    long success = -1; // the largest n at which it was taken for n itself and worked
    bool isGuilty(const Guilt &guilt, int times) const {
      return guilt.times >= times && success < guilt.smallest;
    }
  };
  /// What the child takes and its parent does not: choices, and everything in words. Guilt is clear if one
  /// choice is all of it.
  struct Suspects {
    std::vector<Choice> choices;
    std::set<std::string> words;
    bool isOne() const { return choices.size() == 1 && words.size() == 1; }
  };
  /// May a level of the selector of a site not be as it is, in a configuration for sizes up to n?
  bool bansLevel(int site, const Selector &, int level, long n) const;
  static Suspects suspects(const ProgramSpace &, const Configuration &child, const Configuration &parent,
                           long n);

  std::map<Choice, Record> records_;
  struct Entry {
    Fault fault;
    std::set<std::string> explanations; // suspects that, guilty alone, explain this one
  };
  /// Who is guilty of it alone, by another entry.
  std::optional<std::string> explanation(const Entry &) const;
  std::map<std::pair<std::string, Failure>, Entry> entries_;
};

} // namespace pbc::tuner
