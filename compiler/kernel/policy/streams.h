// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which matrices the default schedule stores past the caches where they are larger than these.
//
//   B[x, y] = A[x, y] + 1, in vectors along x   =>   stream(B)
//   B[0, y] = A[0, y] beside B[x, h - 1] = ..   =>   nothing: the edges of a matrix are not worth a second version of their loops
#pragma once
#include "compiler/kernel/policy/vectors.h"
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// The steps for the kernel, whose loops are realised already; or why there are none.
Steps streamSteps(const Scheduled &);

} // namespace pbc::kernel
