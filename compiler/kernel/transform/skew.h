// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Moves the iterations of a loop by those of another one.
//
//   label y: band y: label x: band x: S[x, y]            each point needs S[x + 1, y - 1]
//   => skew(x, by = y)
//   label y: band y: label x: band x + y: S[x, y]        which is S[x + y, y - 1] in the new places
//
// Where the loops run over the moved place, dependences that went backwards go forwards or straight on, so that tiles and
// wavefronts are legal afterwards. If `by` is around the loop, the order of the instances does not change and the step is
// always legal; if it is inside, it is legal if each value is still computed before it is used.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation skewTransformation();

} // namespace pbc::kernel
