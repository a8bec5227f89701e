// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Border pieces of a rule, each of which gets loops of its own.
//
//   band y parallel: band x parallel: S    for S[x, y] with x = 0, or x = n - 1, or y = 0 and 0 < x < n - 1
//   =>  for y: S[0, y]
//       for y: S[n - 1, y]
//       for x: S[x, 0]                     not one loop over y with each case of which pieces a row meets inside
//
// With d dimensions there are 2 d border pieces, but isl tells up to 3^d kinds of rows apart, for each way in which the ranges of tasks can
// meet the borders: code that takes long to make, and that no processor needs.
//
// Invariant: instances are the same ones. Their order changes only below loops of which none carries a dependence.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::loop {

/// A piece is apart if it has one value or a few along some dimension, whose first and last depend on sizes only; all others stay together.
/// The schedule of the kernel; of a device, whose items have no loops over points, it stays as it is.
isl::schedule withPiecesApart(const kernel::Scheduled &, const isl::schedule &);

} // namespace pbc::loop
