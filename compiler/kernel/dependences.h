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

/// How many operations of isl the dependences of a kernel may take. Those of typical kernels take some ten thousands.
inline constexpr unsigned long kDependenceBudget = 20'000'000;

/// All dependences of `kernel.statements` under `kernel.schedule`.
isl::union_map dependences(const Scheduled &);
/// Those through some of the buffers.
isl::union_map dependences(const Scheduled &, const std::set<int> &buffers);

/// Pairs of different instances that touch the same element, one of them writing, and to which the schedule gives no order. A
/// lifted kernel has none.
isl::union_map unordered(const Scheduled &);

} // namespace pbc::kernel
