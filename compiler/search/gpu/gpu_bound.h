// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bound of a partly decided structure on a GPU: no program that it can still become is faster.
//
//   GpuBounds bounds(space, work, rates);
//   const GpuBound b = bounds.of(state);      5.1e-4 s, by the term `units`
//   bounds.explain(b)   "contention inside of a group: 64 waves of 2.1e6 words through memory units at 2.2e10 a second, equations ... "
//
// A term that a measurement refuted can be switched off, so that a search stays right. Source: lower-bound-search.md, sections 5 and
// 5.6.
#pragma once
#include "compiler/search/gpu/gpu_term.h"

namespace pbc::search {

struct GpuBound {
  double seconds = 0;
  int term = -1; // which of gpuTerms(); -1: there is none
  GpuTermValue value = {};
};

class GpuBounds {
public:
  GpuBounds(const Space &space, const GpuWork &work, const GpuRates &rates)
      : space_(space), work_(work), rates_(rates), isOff_(gpuTerms().size(), false) {}

  GpuBound of(const State &) const;
  GpuTermValue term(int term, const State &) const;
  void switchOff(int term) { isOff_[std::size_t(term)] = true; }
  bool isOff(int term) const { return isOff_[std::size_t(term)]; }

  /// The verdict with its figures, why they bound the time, and what would help: three sentences.
  static std::string explain(const GpuBound &);

private:
  const Space &space_;
  const GpuWork &work_;
  const GpuRates &rates_;
  std::vector<bool> isOff_;
};

} // namespace pbc::search
