// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sorts configurations into classes by what one choice or tunable decides, so that measurements can be
// compared by class.
//
//   Decision(space, recorded configurations)  of  Sort                 ->  classes MergeSort, QuickSort, ...
//   of  Sort.block (1 to 4096, by factors)    ->  classes 1, 2 to 3, 4 to 7, ..., 256 to 511, ...
//
// Two configurations decide alike for calls of size n if they are in the same class there. Integers with a
// dozen values or fewer have one class per value; size-like values have one class for each power of two,
// other numbers one for each eighth of their range.
//
// Invariant: every class number has a name, and every value that fits the space has a class.
#pragma once
#include "tuner/space/configuration.h"

namespace pbc::tuner {

struct Decision {
  bool isSite = true;
  int index = 0; // into the space's sites or tunables

  /// "Sort", "Sort.block": the name that the user knows.
  std::string title(const ProgramSpace &) const;
  std::string doc(const ProgramSpace &) const;
  /// The configuration's value of it: "InsertionSort below 341, otherwise MergeSort", "256".
  std::string chosen(const ProgramSpace &, const Configuration &) const;

  int classAt(const ProgramSpace &, const Configuration &, long n) const;
  std::string className(const ProgramSpace &, int) const;
  /// Differs for configurations that a call of size n or less can distinguish by this decision.
  std::size_t hashUpTo(const Configuration &, long n) const;
};

/// All decisions that a tuner made or could have made, in the program's order.
std::vector<Decision> decisionsOf(const ProgramSpace &);

} // namespace pbc::tuner
