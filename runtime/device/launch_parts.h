// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which parts of its box a launch computes, where these have far fewer points.
//
//   the edge of 8192 x 8192 cells    4 parts: the rows in groups of 256 x 1 items, the columns in groups of 1 x 256
//   the faces of 512 x 512 x 512     6 parts, in groups of 32 x 8 x 1, 256 x 1 x 1, and 1 x 256 x 1
//   the edge of 100 x 100 cells      none: one launch over the box costs less
//
// Invariant: the parts have all points of the box.
#pragma once
#include "runtime/device/manager.h"

namespace pb::device {

/// Sets `parts` of a launch that has its box, groups and cells. `step` has parts.
void findParts(Launch &, const DeviceStep &step, const Frame *, const Description &about);

/// Groups of as many items as `group` has, but no more along an axis than it needs for so many items, if other axes need them.
void fitGroup(int group[3], const long items[3], const Description &about);

} // namespace pb::device
