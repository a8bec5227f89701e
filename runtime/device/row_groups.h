// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The groups of the launches beside the sums of a version in blocks of rows (launch_rows.h), which the compiler builds for
// `pbc explain --device` as well.
#pragma once

namespace pb::device {

/// Items of a group: so few in `finish` that there are groups for most of a device's units, as each item goes through all rows of a block.
inline constexpr int kGroupOfStart[3] = {32, 8, 1}, kGroupOfFinish[3] = {32, 1, 1};

} // namespace pb::device
