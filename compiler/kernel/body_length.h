// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How long the body of a point is, if its loops were written out.
//
//   for (k in [0, 3)) s += A.cell(i + k);   =>   whyTooLong(kernel, 32) is "", whyTooLong(kernel, 2) names the loop
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

/// The number of iterations up to which LLVM unrolls a loop.
inline constexpr long kShortBody = 32;

/// "" if the instances of each statement per point, over all loops, are at most `most`; otherwise the loop that is longer.
std::string whyTooLong(const Kernel &, long most);

/// How many mathematical functions the statements call, each counted once.
int functionsCalled(const Kernel &);

/// Whether the body of a point has loops.
bool hasBodyLoops(const Kernel &);

} // namespace pbc::kernel
