// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the items of a group read of the memory that a copy has filled.
//
//   A_fill[kt]; S[x, k]: s += A_group[k - 16 * kt]      memory of 16 cells
//   stepsThatReadAll(kernel, A_fill, 0)  =>  { A_fill[kt] : 16 * kt + 16 <= n }, if S has k < n
//
// Items read cells of the matrix only, so that in these steps no cell of the copy lies beyond the matrix along the dimension.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

/// The instances of the copy after which some item reads a cell at every place along a dimension of the memory that does not move with
/// items; none for a dimension that does.
isl::set stepsThatReadAll(const Kernel &, const Statement &fill, std::size_t dimension);

} // namespace pbc::kernel
