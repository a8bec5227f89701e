// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs full tiles apart from those at the edges.
//
//   label yt: band yt: label xt: band xt: label y: band y: label x: band x: S      tiles of 4 x 16 points, as many as begin
//   => separate(y, x; at = xt)
//   label yt: band yt: label xt: band xt: sequence
//     label y: band y: label x: band x: S                in the steps of xt with 4 x 16 points
//     label y_edge: band y: label x_edge: band x: S      in the others
//
// With `apart = loops` the loop `at` itself becomes two, or three with one, `xt_begin`, for what comes before the full steps, which needs
// these to have no other ones between them.
//
// A step of the loop `at` is full if each of the named loops inside of it has as many iterations as it ever has. Loops of
// constant length can be written out, or be one vector, and arrays that they fill can be in registers. The part of a step
// that has these loops inside is in both copies.
//
// Where the kernel has the points of one group of items (item_values.h), a step is full if it is for all of them.
//
// No instance moves, so the step is always legal.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation separateTransformation();

} // namespace pbc::kernel
