// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bound of a partly decided chain: no program that it can still become is faster.
//
//   two nests of which the first one certainly ends before the second one begins:   their bounds, one after the other
//   nests that may still be one loop:   the largest term of what they have to do together, and of each nest alone
//
// The terms are those of one nest (compiler/search/bound/terms). Those that follow from the work alone are asked for the work of all nests;
// others for each nest, since the whole takes at least as long as a part of it. A temporary that may still be in a few cells or in registers
// moves nothing. What tiles compute twice is not counted either: no step of a chain's scripts computes a cell twice. Invariant: as of
// bound.h. Source: lower-bound-search.md, sections 8 (intervals between barriers) and 9.2.
#pragma once
#include "compiler/search/bound/bound.h"
#include "compiler/search/chain/chain_space.h"

namespace pbc::search {

class ChainBounds {
public:
  ChainBounds(const ChainSpace &chain, const Rates &rates);

  /// `term`: which of terms(), or terms().size() for nests that follow each other.
  Bound of(const State &) const;
  /// The largest value of one term in any nest or group of nests.
  TermValue term(int term, const State &) const;
  /// All terms of all nests: no bound, but of two regions the one with less is likely to be faster.
  double sumOfTerms(const State &) const;
  void switchOff(int term) { isOff_[std::size_t(term)] = true; }
  bool isOff(int term) const { return isOff_[std::size_t(term)]; }

  /// The figures, and why they bound the time.
  std::string explain(const State &) const;

private:
  /// Nests [begin, end): all others have certainly ended before, or begin behind.
  struct Group {
    std::size_t begin, end;
  };
  std::vector<Group> groups(const State &) const;
  /// The way to divide the nests into groups, one after the other, whose bounds add up to the largest sum.
  struct Division {
    double seconds = 0;
    std::vector<Bound> parts;
  };
  Division longest(const State &) const;
  bool areApart(const State &, std::size_t nest) const;
  template <class Visit>
  void eachValue(const State &, const Group &, const Visit &visit) const;
  bool areOneLoop(const State &, const Group &) const;
  NestWork seen(const NestWork &, const State &) const;
  Bound of(const State &, const Group &, int only = -1) const;

  const ChainSpace &chain_;
  const Rates &rates_;
  std::vector<bool> isOff_;
};

} // namespace pbc::search
