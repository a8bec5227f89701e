// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints the mark "registers": a struct that computes one block of points, and the call that covers the loops
// over y and x with blocks (runtime/abi/register_tile.h).
//
//   for y: for x: { s = 0; for k: s += A[k, y] * B[x, k]; C[x, y] = s }
//   => struct MM_0_tile { ...
//        template <int R, int V, int W, bool isPart> void cells(long pb__y, long pb__x, ...) const {
//          pb::Vector<double, W> s_l[R][V];
//          PB_TILE_EACH(r, R) PB_TILE_EACH(v, V) s_l[r][v] = ...
//   and pb::runTiles(MM_0_tile{f, low, high, A_p, B_p, C_p}, low1, high1);
#pragma once
#include "compiler/emit/kernel/loops.h"
#include <functional>

namespace pbc::emit {

struct TileText {
  std::string type; // in an unnamed namespace, because templates of the runtime depend on it
  std::string call;
};

/// `rows`: the loop below the mark. Nothing if the nest is not two loops around the kernel's body.
std::optional<TileText> tileText(const kernel::Scheduled &, const isl::ast_node &rows,
                                 const std::string &name, const Place &, Used &);

} // namespace pbc::emit
