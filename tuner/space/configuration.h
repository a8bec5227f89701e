// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One point of the space: a selector per site and a value per tunable. It is a value type; changes make new
// ones.
//
//   Configuration best =
//       Configuration::defaults(space).withSelector(0, Selector(1)).withTunable(2, 64);
//   best.key()  ->  "1;2<341:0;|4096|64"      equal keys: equal behaviour
//
// Invariant: there are as many selectors as the space has sites and as many values as it has tunables;
// fits(space) says whether the numbers in them are possible, too.
#pragma once
#include "tuner/space/program_space.h"
#include "tuner/space/selector.h"

namespace pbc::tuner {

class Configuration {
public:
  Configuration() = default;
  static Configuration defaults(const ProgramSpace &);

  const std::vector<Selector> &selectors() const { return selectors_; }
  const std::vector<double> &tunables() const { return tunables_; }

  Configuration withSelector(int site, Selector) const;
  Configuration withTunable(int tunable, double value) const;

  /// Whether a transform with these conditions may run with the chosen alternatives, at any size: its calls
  /// need not have the size of the main transform.
  bool reaches(const ProgramSpace &, const std::vector<Condition> &reachedBy) const;
  /// Whether a search may change the site: it is open, and its transform may run.
  bool mayChangeSite(const ProgramSpace &, int site) const;
  /// Whether the chosen alternatives read the tunable in some call of size n or less.
  bool hasEffect(const ProgramSpace &, int tunable, long n) const;
  /// Whether a search may change the tunable while it tests calls of size n: ProgramSpace::isOpenAt holds,
  /// and the tunable has an effect.
  bool mayChange(const ProgramSpace &, int tunable, long n) const;

  /// Sets a tunable to a value, or to a smaller one if a constraint requires it. If it is the entry for calls
  /// of size n, the entries for larger sizes get the value, too, because nothing better is known of them.
  Configuration withValueAt(const ProgramSpace &, int tunable, double value, long n) const;

  /// The main transform's tunables for all sizes below n get the value for n.
  Configuration withSmallerLike(const ProgramSpace &, long n) const;
  /// The main transform's tunables for sizes beyond n are taken from another configuration.
  Configuration withLargerFrom(const ProgramSpace &, const Configuration &other, long n) const;

  /// True if every alternative exists and every tunable is in its range. Constraints are left to the search:
  /// a program adapts values that violate them.
  bool fits(const ProgramSpace &) const;
  /// A text that is equal exactly for equal configurations; for comparison, ordering and lookup.
  std::string key() const;
  /// The number of levels beyond one for each selector; of two equally fast configurations the simpler one is
  /// kept.
  int complexity() const;

  bool operator==(const Configuration &) const = default;

private:
  double limited(const ProgramSpace &, int tunable, double value) const;

  std::vector<Selector> selectors_;
  std::vector<double> tunables_;
};

} // namespace pbc::tuner
