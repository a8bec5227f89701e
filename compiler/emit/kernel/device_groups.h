// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints kernels in which a group of work-items computes few cells, each by a team of its items
// (kernel/cooperate.h).
//
//   item (y): s = 0; for x in [0, w): s += A[x,y]; R[y] = s
//   =>  s = 0 in all items of the team
//       for x = lane, lane + team, ..: s += A[x,y]
//       the team's s are folded in local memory by a tree
//       R[y] = s, by the first item
//
//   item (y): for x in [1, w): P[x,y] = P[x-1,y] + A[x,y]
//   =>  for every `team` points:
//         v = A[x,y]; v is scanned in local memory (Hillis and Steele, Data Parallel Algorithms)
//         P[x,y] = carry + v; carry += the last v
//
// A group has PB_C0 cells along its first function, in teams of PB_G0 * PB_G1 * PB_G2 / PB_C0 items (a whole
// number). Several groups may share the steps of the same cells, in `parts` parts, by launches that follow
// each other: pass 1 leaves each part's value in `scratch`; pass 2 folds these into the cell, or, for a scan,
// replaces each by the sum of the parts before it; pass 3, only for scans, computes the cells. In pass 0 one
// group does all steps. Invariant: all items of a group reach the same barriers, so cells beyond the end are
// computed and not stored.
#pragma once
#include "compiler/emit/kernel/instance.h"
#include "compiler/kernel/on_device.h"
#include <optional>

namespace pbc::emit {

struct DeviceGroups {
  std::string arrays;     // in group-local memory
  std::string statements; // uses low<k>, inside, lane, team, apart, slot, part, here and number
  std::string localBytes; // C++ over group
  int values = 0;         // of one part of a cell, in scratch; 0: one group computes all of it
};

/// `nest`: the loops of an item (loops.h). Nothing if barriers would stand in code that differs between
/// items.
std::optional<DeviceGroups> deviceGroups(const kernel::Items &, const kernel::Cooperation &,
                                         const isl::ast_node &nest, Used &);

} // namespace pbc::emit
