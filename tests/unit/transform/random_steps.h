// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random steps for random kernels. Their arguments come from the table of transformations, so that a new one takes part
// without a change here.
//
//   randomStep(r, kernel, *findTransformation("tile"))      (a, b) = tile(y, x; 3, 16)
#pragma once
#include "compiler/kernel/transform/transformation.h"
#include "tests/unit/transform/random_kernels.h"

namespace pbc::kernel {

/// A step of this transformation; most arguments are of the right kind, and some steps are among its alternatives.
script::Step randomStep(Random &, const Scheduled &, const Transformation &);

} // namespace pbc::kernel
