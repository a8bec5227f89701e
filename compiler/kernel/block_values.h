// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What blocks of points in registers can compute (register_tile.h): vectors have arithmetic of one type, choices and a few functions.
//
//   s = fmin(s, A[k, y] + B[x, k])                     yes
//   s += A[k, y] > B[x, k] ? A[k, y] - B[x, k] : 0     yes: both values read only what the condition reads
//   s += exp(A[k, y] - B[x, k])                        no: each lane would be a call in each step
//   C[x, y] = exp(s)                                   yes: a call for each point takes no time beside its loops over k
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// Whether a block can compute the statement's value.
bool canCompute(const Kernel &, const Statement &, const RegisterTile &);

} // namespace pbc::kernel
