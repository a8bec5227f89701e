// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What of a stored configuration has to be tuned again, and why.
//
//   refreshPlan(space, provenance, fitted)
//     ->  {touched: {Sort.choice, Sort.block},
//          reasons: {"Sort has changed since the configuration was made"}}
//   plan.fix(space)   every other site and tunable isFixed
//
// Touched are entries that are unknown or illegal, entries that the file lacks, all entries of a transform
// whose text has changed, and, where the file does not say what the texts were, all entries of another
// version's file. On another machine nothing is fixed: refresh.h starts from the stored values. Source:
// tuning-practice.md 2.
#pragma once
#include "tuner/space/provenance.h"
#include "tuner/travel/fitted.h"

#include <set>

namespace pbc::tuner {

struct RefreshPlan {
  std::set<std::pair<std::string, std::string>> touched; // transform and key
  bool isOtherMachine = false;
  std::vector<std::string> reasons;

  bool isNothing() const { return touched.empty() && !isOtherMachine; }
  /// Touches everything, as if the file had been empty.
  void touchAll(const ProgramSpace &);
  /// Fixes what is not touched; on another machine it does nothing.
  void fix(ProgramSpace &) const;
  /// Fixes everything that is not touched.
  void fixOthers(ProgramSpace &) const;
};

RefreshPlan refreshPlan(const ProgramSpace &, const std::optional<Provenance> &, const Fitted &);

} // namespace pbc::tuner
