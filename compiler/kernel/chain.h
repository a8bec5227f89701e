// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One kernel of several that run one after the other: what a chain of rules computes through temporaries.
//
//   kernel Blur.rows [w, h]:  T[x, y] = ...      kernel Blur.columns [w, h]:  C[x, y] = .. T[x, y + 1] ..
//   => chained({rows, columns}, "Blur.rows+columns", {T})
//   kernel Blur.rows+columns [w, h]
//     buffer T double 2-d output, private
//     S0: T[x, y] = ...; S1: C[x, y] = ..          schedule: sequence { band y: band x: S0 ; band y: band x: S1 }
//
// Steps of scripts can then fuse loops of different rules and keep temporaries in a few cells (transform/fuse.h, transform/contract.h). Programs
// run the kernels one by one, or in tiles that the last one decides (compiler/kernel/fuse.h).
//
// Invariant: the kernel computes what the given ones compute in their order.
#pragma once
#include "compiler/kernel/schedule.h"
#include <set>
#include <string>
#include <vector>

namespace pbc::kernel {

/// The kernels are lifted ones of one transform. `temporaries`: matrices that nothing else uses.
Outcome chained(const std::vector<Scheduled> &kernels, const std::string &name,
                const std::set<int> &temporaries);

} // namespace pbc::kernel
