// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many bytes of matrices a kernel for devices loads and stores by its own accesses, for each of its points: what the caches and the
// memory are asked for.
//
//   runs of 4 x 16 points of a stencil of 5 floats     =>   { loaded 4.53, stored 4 }: 18 rows for 16, and the cells beside a warp
//
// Counted over the points of one warp inside of a large launch, or of one group where its items copy something together.
#pragma once
#include "compiler/loop/warp_lane.h"

namespace pbc::loop {

struct Traffic {
  double loaded = 0, stored = 0; // bytes for a point
};

/// Nothing if the number depends on sizes: a loop has more steps than are counted, or none.
std::optional<Traffic> trafficOf(const std::vector<Matrix> &, const NodePtr &lowered, const LaunchShape &);

} // namespace pbc::loop
