// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which matrices may have any strides in a nest that is made for matrices whose dimension 0 has stride 1.
//
//   C[x, y] = sum of A[k, y] * B[x, k], in blocks: all three
//
// A block of points reads most of its operands as strips (BlockOfPoints::Strip), which are copied before where their cells are not side
// by side, as those of a transposed view. What a block loads and stores only once is moved cell by cell then.
#pragma once
#include "compiler/loop/tree.h"
#include <set>

namespace pbc::loop {

/// Numbers among `matrices`, which blocks with loops inside access in these ways, and nothing else does.
std::set<int> ofAnyStrides(const NodePtr &lowered, const std::vector<Matrix> &matrices);

} // namespace pbc::loop
