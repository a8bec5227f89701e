// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads of one matrix, in groups that may have a copy each.
//
//   S[x, y, k]: C[x, y] += A[k, y] * A[k, x] * A[k + 1, x]   =>   { A[k, y] }, { A[k, x], A[k + 1, x] }
#pragma once
#include "compiler/kernel/kernel.h"
#include <utility>
#include <vector>

namespace pbc::kernel {

/// A read of the matrix, and what it reads: { [items, loops] -> [cell] }.
struct ReadOfMatrix {
  std::pair<int, std::size_t> place; // statement, access
  isl::map cells;
};

/// Those of a group have the same distance in all steps and for all items. Groups are in the order of their first reads.
std::vector<std::vector<ReadOfMatrix>> waysToRead(const Kernel &, const std::vector<ReadOfMatrix> &);

} // namespace pbc::kernel
