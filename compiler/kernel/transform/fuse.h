// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes one loop of two or more that follow each other.
//
//   sequence { label x: band x: S0[x] ; label x2: band x + 1: S1[x] }
//   => x = fuse(x, x2)
//   label x: sequence { S0[x] ; S1[x] }       over x for S0, and over x + 1 for S1
//
// What one loop writes and the next one reads is then still in the cache, or in a register. The loops need not have the same
// bounds. With `shift`, iteration v of the second loop runs together with iteration v + shift of the first one (that of the
// third loop with v + 2 * shift, and so on), so that a loop that reads its neighbours' results can be fused, too. Legal if no
// iteration then needs what a later one computes.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation fuseTransformation();

} // namespace pbc::kernel
