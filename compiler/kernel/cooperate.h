// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds what the items of a group can do together for one cell of the output.
//
//   item (y): s = 0; for x: s += A[x,y]; R[y] = s      the loop over x can be shared out: every item of a team
//                                                      takes some of its steps into an s of its own, and these
//                                                      are then folded with +
//   item (y): for x: P[x,y] = P[x-1,y] + A[x,y]        a scan along x
//   no items: s = 0; for i: s += A[i]; S = s           one cell, computed by all items of a group
//
// A loop of a body can be shared out if each of its statements either folds into a scalar by one associative
// operation, and nothing else in the loop reads that scalar, or computes a scalar for its own step. A loop
// over points is a scan if each point folds one value into the cell that the point before it wrote. Source:
// Blelloch, Prefix Sums and Their Applications; petabricks-hetero 10, requirements 13 and 98.
#pragma once
#include "compiler/kernel/associative.h"
#include "compiler/kernel/items.h"

namespace pbc::kernel {

/// Indices are those of the item's kernel.
struct SharedLoop {
  std::vector<int> statements; // the statements in the loop
  int outer; // dimension of these statements: the loop before which the scalars have their initial values
  int dealt; // the loop whose steps are dealt to the items: `outer`, or a loop that is its whole body
  std::vector<std::pair<int, Operation>> accumulators; // Locals
};

struct Scan {
  int statement, dimension; // of its points
  std::set<int> previous;   // its accesses that read the previous cell
  Operation operation;
};

struct Cooperation {
  std::vector<SharedLoop> loops;
  std::optional<Scan> scan; // if set, there are no loops
  /// Neighbouring items get neighbouring steps of the loop, because these are contiguous in memory; otherwise
  /// they get neighbouring cells.
  bool isAlongSteps = true;
  std::string over; // "x": the loop, or several
  /// Number of steps of the only loop or the scan, at most, over the parameters and the limits of the items'
  /// kernel; nothing: unknown.
  std::optional<isl::pw_aff> steps;
};

struct CooperationOutcome {
  std::optional<Cooperation> cooperation;
  std::string why;
};

/// The reasons for not using groups if nothing would need them, and if that is not known: the user cannot
/// mend these.
inline constexpr const char *kNoLongLoop = "its items have no loop that is as long as the sizes say",
                            *kNoStatements = "its body could not be taken apart into statements";

CooperationOutcome cooperate(const Items &);

/// What the loops of a schedule do that are realised as teams (transform/team.h); `over` and `steps` are left out.
Cooperation ofTeams(const Scheduled &);

} // namespace pbc::kernel
