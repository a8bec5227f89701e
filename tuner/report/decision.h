// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a choice or tunable decides, as classes that measurements can be sorted into.
//
//   Decision(space, recorded configurations)  of  Sort                 ->  classes MergeSort, QuickSort, ...
//   of  Sort.block (1 to 4096, by factors)    ->  classes 1, 2 to 3, 4 to 7, ..., 256 to 511, ...
//
// Two configurations decide alike for calls of size n if their class there is the same. Integers with a dozen
// values or less are classes by themselves; sizes are told apart by powers of two, other numbers by eighths
// of their range.
//
// Invariant: a class number has a name, and every value that fits the space has a class.
#pragma once
#include "tuner/space/configuration.h"

namespace pbc::tuner {

struct Decision {
  bool isSite = true;
  int index = 0; // into the space's sites or tunables

  /// "Sort", "Sort.block": what the user names it by.
  std::string title(const ProgramSpace &) const;
  std::string doc(const ProgramSpace &) const;
  /// What the configuration says of it: "InsertionSort below 341, otherwise MergeSort", "256".
  std::string chosen(const ProgramSpace &, const Configuration &) const;

  int classAt(const ProgramSpace &, const Configuration &, long n) const;
  std::string className(const ProgramSpace &, int) const;
  /// Different for configurations that a call of size n or less can tell apart by this decision.
  std::size_t hashUpTo(const Configuration &, long n) const;
};

/// All that were or could have been made otherwise by a tuner, in the program's order.
std::vector<Decision> decisionsOf(const ProgramSpace &);

} // namespace pbc::tuner
