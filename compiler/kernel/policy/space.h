// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a search may try: the scripts that are one edit away from the one that ran.
//
//   neighbours(scheduler, {tasks(); vector(x); jam(y; 4)}, machine)
//   =>  body: tasks(); lanes(x)                                         points computed in another way
//       tile: tasks(); tile(y, x; 32, 512); vector(x); jam(y; 4)        a step inserted
//       jam: tasks(); vector(x); jam(y; 2)                              an argument replaced by an alternative
//       jam: tasks(); vector(x)                                         a step removed
//       order: order(x, y); tasks(); vector(y)                          the steps behind follow
//
// The arguments come from Transformation::alternatives. The steps behind the edited one stay as they are, and must apply; where
// loops get another order, or other loops, those that compute points are chosen anew by the policy, too. The edits of one step
// follow each other, and so do those of one of its arguments, because a search decides one thing at a time. Source: own.
//
// Invariant: each script applies strictly, none makes the schedule that the given one makes, and no two make the same.
#pragma once
#include "compiler/kernel/policy/processor.h"
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

struct Neighbours {
  std::vector<Edit> edits; // what to try first comes first; those about one thing follow each other
  /// The script whose points are computed without vectors; nothing if there are none to do without. How much slower
  /// that is says how much of a program's time is the kernel's.
  std::optional<script::Script> withoutVectors;
};

/// `script` applies to the kernel. What would take isl too long, or has names that scripts cannot spell, is left out.
Neighbours neighbours(const Scheduler &, const script::Script &, const Machine &);

} // namespace pbc::kernel
