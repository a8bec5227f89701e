// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The order in which a plan's steps are printed.
//
//   steps 0, 1 after 0, 2   =>   steps {0, 2, 1}, levelOf {0, 1, 0}
//
// Invariant: each level needs only earlier ones.
#pragma once
#include "compiler/schedule/plan.h"
#include <vector>

namespace pbc::emit {

struct Ordered {
  std::vector<std::size_t> steps;   // sorted by level
  std::vector<std::size_t> levelOf; // by step
  int loops = 0;                    // steps that are kernels
};

Ordered inLevels(const schedule::Plan &);

} // namespace pbc::emit
