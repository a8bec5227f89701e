// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A complete state as loops and instructions in their order.
//
//   block m (16)
//     thread m' (32)
//       load; for k (64): multiply; store
//
// Dimensions that are fused are one loop.
#pragma once
#include "compiler/search/space.h"

namespace pbc::search {

struct LoopTree {
  int object = -1;             // an instruction, or one of the dimensions of a loop; -1: the whole program
  std::vector<int> dimensions; // all of the loop
  Kind kind = Kind::For;
  std::vector<LoopTree> inside; // in their order
};

LoopTree loopTree(const Space &, const State &leaf);

} // namespace pbc::search
