// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The groups of launches that make copies of matrices (maps.h), which the compiler builds for `pbc explain --device` as well.
#pragma once

namespace pb::device {

/// Items of a group: neighbours along rows of both matrices, of which one may be turned. And cells of an item.
inline constexpr int kGroupOfMap[3] = {32, 8, 1}, kCellsOfMap[3] = {1, 1, 1};

} // namespace pb::device
