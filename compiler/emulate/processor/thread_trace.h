// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a thread of a processor does in a kernel, from the kernel's lowered loops.
//
//   for c < n {vectors}: B[c] = A[c - 1] * 0.5      =>  n / 8 times { load; multiplication; store; 1 line from memory for each of both }
//
// The loops are carried out once each, without data (loop/warp_lane.h). Vector loops and blocks of points have vectors of the machine's widest
// kind; a product that is added is one instruction; what a loop does not change is loaded in front of it; what an iteration stores and the
// next one loads stays in a register. Indices cost nothing, and a loop that is neither vectors nor written out an instruction for each
// iteration. Each loop is carried out again from the next iteration on, which shows by how much every access moves; from that follows
// which memory the lines come from (line_sources.h).
//
// Regions: of each line, loads, what is computed, stores. Invariant: verify(trace) is empty. Source: bottleneck-analysis.md 8 (processors).
#pragma once
#include "compiler/emulate/processor/processor_core.h"
#include "compiler/emulate/trace.h"
#include "compiler/loop/tree.h"
#include <map>

namespace pbc::emulate {

struct ThreadQuestion {
  const std::vector<loop::Matrix> &matrices;
  std::vector<std::vector<long>> extents; // of each matrix; empty: it has none, or they are not known
  const loop::NodePtr &lowered;
  std::map<std::string, long> names;        // sizes and limits, as the loops call them
  bool isWarm = true;                       // the kernel ran before with the same matrices
  std::vector<source::Origin> origins = {}; // by statement of the loops
  bool reassociates = false;                // sums of floating-point numbers may be computed in another order
};

/// For the resources of the core. Bodies that were not lifted are not followed (loop::Call).
Trace threadTrace(const ThreadQuestion &, const ProcessorCore &);

} // namespace pbc::emulate
