// Failures, whose fault they are, and which alternatives are therefore no longer tried.
//
//   child {Quick below 100, else Merge} of parent {Merge} ends by signal 11 at n = 4096
//   -> "Sort with QuickSort": ended by signal 11 at n >= 4096
//
// The fault is sought in what the child has and its parent has not. An alternative that is found guilty three
// times, and was never part of a success at such sizes, is not chosen any more. One that gave wrong results
// twice is not chosen at any size: that it agreed elsewhere may have been luck. Invariant: the default
// (alternative 0) is never banned. Source: requirement 81; field.md 0.2, asks 3 and 6.
#pragma once
#include "tuner/strategy/evaluator.h"

#include <map>
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
  void worked(const Configuration &, const TestSize &);

  /// The alternatives of a site that may be chosen.
  std::vector<int> allowed(const ProgramSpace &, int site) const;
  bool banned(int site, int alternative) const;
  bool uses(const Configuration &, long n) const; // a banned alternative, at sizes up to n

  /// One entry for each suspect and kind; a mixed suspect is left out when one part alone is guilty of the
  /// same.
  std::vector<Fault> faults() const;

private:
  using Choice = std::pair<int, int>; // site, alternative
  struct Guilt {
    int times = 0;
    int wrong = 0;     // of them: results that were not the default's
    long smallest = 0; // n of a failure
  };
  std::map<Choice, Guilt> guilty_;
  std::map<Choice, long> innocent_; // the largest n at which it was part of a success
  struct Entry {
    Fault fault;
    std::set<std::string> parts;
  };
  std::map<std::pair<std::string, Failure>, Entry> entries_;
};

} // namespace pbc::tuner
