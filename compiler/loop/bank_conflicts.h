// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How often a group's memory has to be asked for one access of a warp, found by carrying out the loops of 32 neighbouring items.
//
//   A_group[place1 + k * 16], place1 = lane1, groups of 16 x 8     =>   { "A_group", reads 1 }: two lanes read each cell, which costs nothing
//   A_group[lane0 * 32]                                            =>   { "A_group", reads 32 }: all lanes read one bank
//
// The memory has 32 banks of 4 bytes. A warp's access of 4 bytes a lane takes as many turns as the most different words of one bank that
// its lanes ask for; of 8 and 16 bytes a lane, halves and quarters of a warp are served one after the other, which is no conflict. Cells
// that each lane reads next to each other in loops that are written out are read 16 bytes at once where they begin at multiples of that.
// Source: CUDA C++ Programming Guide, "Shared Memory" of the compute capabilities.
//
// Invariant: sizes and the limits of the launch are so large that all items have points; loops that are not written out run twice.
#pragma once
#include "compiler/loop/warp_lane.h"
#include <vector>

namespace pbc::loop {

struct BankUse {
  std::string memory;
  int reads = 0, writes = 0; // the largest degree of conflict; 0: there is no such access
};

/// Of the lowered loops of a kernel for devices, by memory of the group in the order of their names.
std::vector<BankUse> bankUses(const std::vector<Matrix> &, const NodePtr &lowered, const LaunchShape &);

} // namespace pbc::loop
