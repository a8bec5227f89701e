// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds out whether a body looks at its matrices itself, or only passes them to the transforms that it calls.
//
//   { Blur(t, a); Sharpen(b, t.region(0, 0, n, n)); }         =>  true: the body need not know where the cells are
//   { Blur(t, a); b.cell(0, 0) = 1; Sharpen(b, t); }          =>  false
//
// What such a body passes need not be on the processor, and what a transform leaves on a device may stay
// there (petabricks-hetero, requirement 102). Asking for sizes and views of a matrix does not look at its
// cells; scalars of the body and of the transform's header are always on the processor. Everything that is
// not known to be harmless counts as a look.
#pragma once
#include "compiler/body/lift.h"

namespace pbc::body {

bool onlyPasses(const RuleContext &);

} // namespace pbc::body
