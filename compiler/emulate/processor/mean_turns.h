// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How often each loop runs, on average over the iterations of the loops around it, and how many of its iterations are in whole rounds of
// vectors.
//
//   for t < 2: for i < min(3072, 4096 - 3072 * t): ..   =>  the inner loop runs 2048 times, not 3072 or 1024
//
// Loops of up to three turns are gone through. Of longer ones, three turns stand for all: the last one for itself, as the last tile is often
// shorter, and one in the middle of each half of the others, so that what grows from turn to turn is counted rightly. Only
// limits are looked at, so that this takes a small part of the time of following the loops.
#pragma once
#include "compiler/emulate/processor/processor_core.h"
#include "compiler/emulate/processor/thread_trace.h"
#include <map>
#include <memory>

namespace pbc::emulate {

/// Of one loop, when it is come to once.
struct LoopTurns {
  double all = 0;
  double inVectors =
      0; // iterations in whole rounds of its vectors (clang_loops.h); the rest is carried out one by one
};

class MeanTurns {
public:
  MeanTurns(const ThreadQuestion &, const ProcessorCore &);
  /// Null: the loop was never come to.
  const LoopTurns *of(const loop::For &f) const {
    const auto at = means_.find(&f);
    return at == means_.end() ? nullptr : &at->second;
  }

private:
  std::map<const loop::For *, LoopTurns> means_;
};

} // namespace pbc::emulate
