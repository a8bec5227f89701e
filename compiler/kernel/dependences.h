// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which statement instances must keep their order.
//
//   R0_S0[i]: s[i] = 0;  R0_S1[i,k]: s[i] += A[i+k]
//   => { R0_S0[i] -> R0_S1[i,k];  R0_S1[i,k] -> R0_S1[i,k'] : k < k' }
//
// The dependences are memory based and exact: every pair of instances that touch the same element, one of
// them writing, in the order of the schedule. That covers flow, anti and output dependences. A Local is one
// element per rule point, so points do not share it. Regions that an opaque statement may touch count as
// touched.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// All dependences of `kernel.statements` under `kernel.schedule`.
isl::union_map dependences(const Scheduled &);
/// Those through some of the buffers.
isl::union_map dependences(const Scheduled &, const std::set<int> &buffers);

} // namespace pbc::kernel
