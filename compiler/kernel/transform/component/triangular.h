// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the triangles of a matrix in a kernel.
//
//   band it: band jt: band ii: band jj: band k: S: C[j, i] += A[k, i] * B[j, k]       for 0 <= k <= i, tiles of i
//   => triangleOf(kernel, A): { k, along ii }
//
// A loop over cells of the matrix makes a triangle along a loop inside of a tile if its limits move with that one. Without a tile there
// is nothing but the triangle.
#pragma once
#include "compiler/kernel/transform/support.h"

namespace pbc::kernel {

struct Triangle {
  std::string loop, along;
};

struct TriangleOutcome {
  std::optional<Triangle> triangle;
  std::string why;
};

/// The triangle of the innermost loops.
TriangleOutcome triangleOf(const Scheduled &, const std::string &matrix);

/// The kernel in which the rectangle of the triangle has the loop that it had, and what is left of the triangle one of its own. If the
/// loops of the tile can be distributed, the rectangle keeps their names, too.
Outcome peeled(const Scheduled &, const Triangle &);

/// The loops of the tile around a loop of a triangle, the outermost first.
std::vector<LoopNode> loopsInTile(const Scheduled &, const LoopNode &);

} // namespace pbc::kernel
