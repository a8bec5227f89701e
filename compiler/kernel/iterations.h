// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The statement instances of a loop by the place of their iteration in it.
//
//   label y: band y: label k: band k: S      for 0 <= y < n, y <= k < n
//   Iterations(loop over k).first(2)  =>  { S[y, k] : k < y + 2 }
//   Iterations(loop over k).last(1)   =>  { S[y, k] : k = n - 1 }
//
//   alike(loop over k, loop over y).everywhere     =>  { S[y, k] : k = n - 1 }, because only this step occurs for each y
//
// Iterations are counted anew for each iteration of the loops around. A loop over tiles steps from tile to tile.
#pragma once
#include "compiler/kernel/loops.h"

namespace pbc::kernel {

/// The values of the loops around and of the loop itself, as a set of as many dimensions. `sizes`: those that there can be.
isl::set stepsOf(const LoopNode &, const isl::set &sizes);

/// Whether each statement below the loop runs in each of its steps, so that no condition stands in it.
bool isOfAllStatements(const LoopNode &, const isl::set &sizes);

class Iterations {
public:
  explicit Iterations(const LoopNode &);

  /// All instances; the other functions must not be called if there are none.
  const isl::union_set &all() const { return all_; }
  isl::union_set first(long count) const;
  isl::union_set last(long count) const;

private:
  enum class End { Low, High };
  isl::union_set near(End, long count) const;

  isl::union_set all_;
  isl::union_map around_, own_; // from the instances to the values of the loops around, and of this one
};

/// The instances of a loop by the places of their iterations, compared with a loop around it.
struct Alike {
  isl::union_set before, everywhere, after;
};
/// `everywhere`: steps of the loop that occur in each iteration of `along` (and of the loops between the two), for the same
/// iteration of the loops around that one; `before` and `after`: the others.
Alike alike(const LoopNode &loop, const LoopNode &along);

/// The instances of the steps of `at`, a loop around the other one, in which that has the largest number of iterations it
/// ever has, each time that it runs. Nothing if no constant bounds that number. `sizes`: those that there can be.
std::optional<isl::union_set> whereLongest(const LoopNode &loop, const LoopNode &at, const isl::set &sizes);
/// Of these, whole steps of `at`, those that are among them for all iterations of `along`, loops around `at`, in which `loop` inside of it
/// runs at all.
isl::union_set forAll(const isl::union_set &instances, const LoopNode &loop, const LoopNode &at,
                      const std::vector<LoopNode> &along);
/// Those of `instances` in steps of `at` before some step of the others, in whichever iterations of `along`, loops around `at`.
isl::union_set beforeSome(const isl::union_set &instances, const isl::union_set &others, const LoopNode &at,
                          const std::vector<LoopNode> &along);
/// Whether that is the number of its iterations each time that it runs.
bool isAlwaysLongest(const LoopNode &, const isl::set &sizes);

/// Whether each of these instances runs in an earlier step of the loop than all others, in each iteration of the loops around.
bool comeFirst(const isl::union_set &instances, const LoopNode &, const isl::set &sizes);

} // namespace pbc::kernel
