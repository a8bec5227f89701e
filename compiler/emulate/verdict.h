// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What limits a kernel, in words: the resource and whether it needs more requests at once or fewer of them.
//
//   { GM throughput 0.95, GM latency 0.04 }                  =>  GM, throughput, clear
//   { GM throughput 0.89, GM latency 0.76, sum 1.8 }         =>  GM, throughput, mixed, balanced: GM latency is next
//
// Clear: its elasticity is at least 0.3. Mixed: that of the second one is at least half as large, or two regimes meet. Source:
// bottleneck-analysis.md 4, thresholds.
#pragma once
#include "compiler/emulate/sensitivity.h"

namespace pbc::emulate {

struct Verdict {
  std::optional<Elasticity> bottleneck; // none: the time depends on nothing, as there are no instructions
  std::optional<Elasticity> next;
  bool isClear = false, isMixed = false, isBalanced = false;
};

Verdict verdictOf(const Analysis &);

/// "GM throughput", "issue", "barrier latency".
std::string nameOf(const Parameter &, const Core &);
/// "limited by GM throughput (0.95)", and what is next.
std::string sentence(const Verdict &, const Core &);

} // namespace pbc::emulate
