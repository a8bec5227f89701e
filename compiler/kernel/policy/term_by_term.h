// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides where points that wait for each other's sums add up term by term (transform/term_by_term.h): where the loop over points carries
// a dependence, and loops of all points over one term are parallel and contiguous. And where each point of a row sums a column of a matrix, or
// several columns (two loops over terms), which is then read row by row.
#pragma once
#include "compiler/kernel/policy/vectors.h"

namespace pbc::kernel {

/// Steps for the loops over points whose sums may be added up so; whether it pays is not asked.
script::Script termByTermCandidates(const Scheduled &);
/// The step, if it pays; with `delay` (delayed.h), where the points can take several terms at once.
Steps termByTermSteps(const Scheduled &, const script::Step &);

} // namespace pbc::kernel
