// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The terms of the bound for GPUs: each is a time below which no program of a partly decided structure can stay.
//
//   device   (8)            T >= use of all groups / rate of the device
//   units    (6), (7), (9)  T >= waves of groups x use of a group / rate of a unit
//
// A term is a source of its own in terms/ and one line in terms/list.inc. A larger value is better, and a value that is too large for
// one program is an error: the search would lose it. Source: lower-bound-search.md, sections 5 and 9.
#pragma once
#include "compiler/search/gpu/gpu_view.h"
#include <optional>
#include <string_view>

namespace pbc::search {

/// What terms need of a region, found once.
struct GpuInput {
  GpuInput(const GpuView &view, const GpuRates &rates);
  const GpuView &view;
  const GpuRates &rates;
  GpuUse thread, group, device; // by one thread, one group, all groups
  double resident;              // groups that run at once, at most
  double
      waves; // T >= waves x the time of a group, all that may still become blocks counted as loops (waves.cpp)
};

/// A value with what it was made of, for explanations: times x amount / rate.
struct GpuTermValue {
  double seconds = 0;
  double amount = 0, rate = 0;
  std::string_view of = {}; // "bytes of the second cache"
  double waves = 0;         // 0: it is not of groups one after the other
};

/// Keeps the larger of two values.
inline void keepLarger(GpuTermValue &best, const GpuTermValue &other) {
  if (other.seconds > best.seconds)
    best = other;
}

/// The resource that takes longest; nothing for those whose rate is not known.
GpuTermValue longestUse(const GpuUse &, const GpuRates &, GpuLevel, double waves);

struct GpuTerm {
  std::string_view name;
  std::string_view equation; // in lower-bound-search.md
  std::string_view doc;      // a sentence: why no program is faster
  std::string_view verdict;  // a few words: what limits all programs of the region (section 5.6)
  std::string_view remedy;   // a sentence: what makes the value smaller
  GpuTermValue (*value)(const GpuInput &);
};

const std::vector<GpuTerm> &gpuTerms();

/// Groups that run at once on all units, at most: by how many threads, local bytes and registers they need at least.
double residentGroups(const GpuView &, const GpuRates &);

/// The least over all numbers of groups that there may be, of waves x the share of the work in one group. A number of groups is the product of
/// the certain blocks and of some open ones, whose iterations a group does not repeat. The rounding of each number is its own:
/// with the most waves and the smallest share together it would be no bound (trap 1 of section 5.4).
double leastWaves(const GpuView &, double resident);

} // namespace pbc::search
