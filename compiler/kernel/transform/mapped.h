// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies of matrices in a device's memory, made by a launch of their own in front of the kernel's: what GM_map is on devices.
//
//   S[x, y, k]: C[x, y] += A[y, k] * B[x, k]
//   => withMappedCopy(kernel, {"A", .isTransposed = true})
//   S[x, y, k]: C[x, y] += A_map[k, y] * B[x, k]          and in front of each launch
//   item:1: band A0: item:0: band A1: A_copy[A0, A1]: A_map[A1, A0] = A[A0, A1]
//
// With `isMirrored` the copy has both halves of a symmetric matrix, and reads that mirror each other read the same half (mirrored.h), so
// that loops over halves can be joined. What is read across rows comes through the memory of groups, so that items access neighbours.
//
// The copy has the cells that the kernel reads, as a matrix whose rows lie behind each other. Source: optimisation-scripts 3, GM_map.
#pragma once
#include "compiler/kernel/transform/copies.h"

namespace pbc::kernel {

/// Of a kernel whose points have no items yet.
Outcome withMappedCopy(const Scheduled &, const CopyRequest &);

} // namespace pbc::kernel
