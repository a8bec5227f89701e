// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cuts the outermost band into tiles.
//
//   band (y, x): S  =>  band (32*floor(y/32), 32*floor(x/32)): band (y, x): S
//
// Legal for a permutable band: no dependence goes backwards in any of its loops. The purpose is that what a
// tile touches stays in the cache while the tile runs.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// One size (0: this loop is not cut) per member of the outermost band.
Outcome tile(const Scheduled &, const std::vector<long> &sizes);

} // namespace pbc::kernel
