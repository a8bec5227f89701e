// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How the loop over k of blocks in registers (register_tile.h) is cut into parts whose operands fit in a cache.
//
//   cutSteps({0, 1000}, 171, 1, 0)    // 0 to 167, 167 to 334, ..., 835 to 1000: six parts, not five and a small one
//   cutSteps({0, 1000}, 171, 8, 4)    // 0 to 164, 164 to 332, ...: boundaries are 4 more than a multiple of 8
#pragma once
#include "index.h"

namespace pb {

/// Steps of the loop over k.
struct Steps {
  long begin, end;
};

/// The parts of some steps. All have `depth` steps but the first and the last one.
struct StepParts {
  Steps all;
  long begin, depth; // of the parts, the first of which may begin before the steps

  template <class Part>
  void each(const Part &part) const {
    for (long k = begin; k < all.end; k += depth)
      part(Steps{maximum(k, all.begin), minimum(k + depth, all.end)});
  }
};

/// As few parts as have at most `most` steps each, about as long as each other. Their boundaries are at a multiple of `unit` from `boundary`;
/// for that a part may have up to `unit` more.
constexpr StepParts cutSteps(Steps all, long most, long unit, long boundary) {
  const long count = all.end - all.begin, cuts = (count + most - 1) / most;
  const long depth = ((count + cuts - 1) / cuts + unit - 1) / unit * unit;
  const long before = (all.begin - boundary) % unit;
  return {all, all.begin - (before < 0 ? before + unit : before), depth};
}

} // namespace pb
