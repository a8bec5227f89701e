// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cuts loops that lie directly in each other into tiles.
//
//   label y: band y: label x: band x: S
//   => (yt, xt, yi, xi) = tile(y, x; 32, 256)
//   label yt: band 32*floor(y/32): label xt: band 256*floor(x/256): label yi: band y: label xi: band x: S
//
// The loops over tiles stand in front of the outermost of these loops. Without names for the results, the loops over tiles
// are called yt and xt, and those inside keep their names, so that tiling again makes a second level. Legal if no dependence
// goes backwards in any of the loops from the outermost to the innermost one that is named; the loops may run over any
// function, and their bounds may depend on each other. The purpose is that what a tile touches stays in the cache while the
// tile runs.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation tileTransformation();

} // namespace pbc::kernel
