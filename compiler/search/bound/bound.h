// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bound of a partly decided nest: no program that it can still become is faster.
//
//   Bounds bounds(nest, work, rates);
//   bounds.of(state).seconds          1.9e-3: the largest of the terms
//   bounds.explain(bounds.of(state))  "compute: 1.7e7 additions of doubles at 3.5e10 a second; All operations are ..."
//
// A term that was refuted by a measurement can be switched off, so that a search stays right. Source: lower-bound-search.md,
// sections 1 and 5.6.
#pragma once
#include "compiler/search/bound/term.h"

namespace pbc::search {

struct Bound {
  double seconds = 0;
  int term = -1; // which of terms(); -1: there is none
  TermValue value = {};
  bool isOfAllCores = false; // what all of them do together, and not what one does
};

/// Two sentences: the figures, and why they bound the time. `structure`: of the space in which the bound was found.
std::string sentences(const Bound &, const Rates &, const Structure &);

class Bounds {
public:
  /// `ofAllCores`: the rates of several cores together, for a nest that is shared out among them; null: there is one core.
  Bounds(const NestSpace &nest, const NestWork &work, const Rates &rates, const Rates *ofAllCores = nullptr)
      : nest_(nest), work_(work), rates_(rates), ofAllCores_(ofAllCores), isOff_(terms().size(), false) {}

  Bound of(const State &) const;
  /// The value of one term alone.
  TermValue term(int term, const State &) const;
  void switchOff(int term) { isOff_[std::size_t(term)] = true; }
  bool isOff(int term) const { return isOff_[std::size_t(term)]; }

  /// Its sentences().
  std::string explain(const Bound &) const;

private:
  TermValue ofAllCores(const Term &, const NestView &) const;

  const NestSpace &nest_;
  const NestWork &work_;
  const Rates &rates_;
  const Rates *ofAllCores_;
  std::vector<bool> isOff_;
};

} // namespace pbc::search
