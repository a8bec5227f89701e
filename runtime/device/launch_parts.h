// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which parts of its box a launch computes, where these have far fewer points.
//
//   the edge of 8192 x 8192 cells    4 parts, in groups of 8 x 8 items
//   the edge of 100 x 100 cells      none: one launch over the box costs less
//
// Invariant: the parts have all points of the box.
#pragma once
#include "runtime/device/manager.h"

namespace pb::device {

/// Sets `parts` of a launch that has its box, and makes its groups smaller where a part is thin. `step` has parts.
void findParts(Launch &, const DeviceStep &step, const Frame *);

} // namespace pb::device
