// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The version of a kernel for devices whose items have runs of points and keep what these read in registers.
//
//   B[x, y] = A[x, y - 1] + A[x, y + 1]            =>   items(; each = run); keep(A)
//   B[x, y, z] from A[x, y - 1, z], A[x, y, z - 1]  =>   items(; each = planes); keep(A, through = group)
//
// Where planes of points read the same cells, items go through planes, if these fit into registers and the memory of a group.
#pragma once
#include "compiler/kernel/policy/writing.h"

namespace pbc::kernel {

/// `writing` has given the points of `start` to items.
DeviceVersion versionInRuns(const Scheduled &start, Writing writing);

} // namespace pbc::kernel
