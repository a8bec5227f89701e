// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints a block of points in registers (loop/lower/registers.cpp): a struct that computes one block. The function's loops
// become a call that covers the two loops with blocks (runtime/abi/register_tile.h).
//
//   block of points (c0, c1)
//   => struct MM_0_tile { ...
//        template <int R, int V, int W, bool isPart> void cells(long pb__y, long pb__x, ...) const {
//          pb::Vector<double, W> s_l[R][V];
//          PB_TILE_EACH(r, R) PB_TILE_EACH(v, V) s_l[r][v] = ...
//   and pb::runTiles(MM_0_tile{f, low, high, A_p, B_p, C_p}, low1, high1);
#pragma once
#include "compiler/emit/kernel/loops.h"

namespace pbc::emit {

struct TileText {
  std::string type;               // in an unnamed namespace, because templates of the runtime depend on it
  std::set<int> buffers;          // matrices of the program that it uses
  std::vector<std::string> given; // names of the function that are its members, in this order
};

/// `anyStride`: matrices with any strides (loop/strips.h).
TileText tileText(const loop::BlockOfPoints &, const std::string &name, const std::vector<loop::Matrix> &,
                  const Place &, const Dialect &, const std::set<int> &anyStride);

} // namespace pbc::emit
