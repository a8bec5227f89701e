// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A leaf of a space for GPUs as a script of the registry, with the sizes that a launch has.
//
//   y, x: blocks, threads (8, 16), written out (4, 4); i: loops (64, 16); A, B in local memory, inside of i_0; the sum in registers
//   => items(; each = block); (i_0, i_1) = tile(i; 16); stage(A; at = i_0); stage(B; at = i_0)
//      groups of 16 x 8 items, 4 x 4 points for each
//
// The registry has steps for a part of the space only; of another leaf, `why` says what there is no step for.
#pragma once
#include "compiler/search/gpu/gpu_nest.h"

namespace pbc::search {

struct GpuProgram {
  script::Script steps;
  /// By loop of the nest that is no sum's, outermost first.
  std::vector<long> items;  // in a group
  std::vector<long> points; // of an item
};

struct GpuProgramOutcome {
  std::optional<GpuProgram> program;
  std::string why; // if there is none: a sentence
};

GpuProgramOutcome gpuProgramOf(const GpuNestSpace &, const State &leaf);

} // namespace pbc::search
