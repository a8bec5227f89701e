// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The reads of a symmetric matrix of which one half is stored.
//
//   S1[y, k]: s += A[k, y] * ...   for k <= y         S2[y, k]: s += A[y, k] * ...   for k > y
//   => mirrorReads(kernel, A):     S2[y, k]: s += A[k, y] * ...                     read before: the cells [x, y] with x <= y
//
// The first read of the matrix that goes along its rows stays; reads whose cells mirror its cells are turned. The kernel then reads cells that are not stored, for
// which a copy of the matrix must have the cell on the other side of the diagonal.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

struct MirroredReads {
  isl::set stored; // { [x, y] } the cells that the kernel read before, over the parameters
  std::string why; // nothing is turned
};
MirroredReads mirrorReads(Kernel &, int matrix);

/// The cells that the kernel reads of the matrix, { [x, y] } over the parameters, without what fills copies of it; nothing if it reads none.
std::optional<isl::set> readDirectly(const Kernel &, int matrix);
/// The half, the diagonal included, of which `stored` has all of these cells, and the mirrored ones of those outside of it; nothing if
/// there is none.
std::optional<Half> storedHalf(const isl::set &cells, const isl::set &stored);

/// { [x, y] -> [y, x] } in the space of these cells
isl::map acrossDiagonal(const isl::set &cells);

} // namespace pbc::kernel
