// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops about which nothing has been decided yet, for those who list what could be: Transformation::alternatives.
//
//   label yt: band 32*floor(y/32): label y: band y: label x: band x: alloc s: { S0 ; label k: band k: S1 }
//   openNests()       {y, x} and {k}; the first one lies in loops over tiles
//   innermostLoops()  k
#pragma once
#include "compiler/kernel/transform/support.h"

namespace pbc::kernel {

/// Loops that lie directly in each other, run over one variable each, upwards, and have no realisation.
struct OpenNest {
  std::vector<LoopNode> loops;
  bool isInTiles = false; // directly in loops over something else
};
std::vector<OpenNest> openNests(const Scheduled &);

/// Whether a step has decided how points are computed: in vectors, in lanes, in registers, or one by one.
bool computesPoints(const Scheduled &);

/// Those without a loop inside and without a realisation.
std::vector<LoopNode> innermostLoops(const Scheduled &);

/// Whether the loop runs over one of its rule's variables, and not over one of its body's loops.
bool isOverPoints(const Scheduled &, const LoopNode &);

/// The bytes of one cell of each matrix.
long bytesOfPoint(const Kernel &);

} // namespace pbc::kernel
