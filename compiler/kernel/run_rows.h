// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rows of points of an item that has runs, and the registers for what these read.
//
//   B[x, y] from the 3 x 3 cells of A around it, floats   =>   rowsKept 2; rowsAtOnce 4, which need 6 x 6 registers
//   the 7 x 7 cells                                        =>   rowsKept 6; rowsAtOnce 4, which need 10 x 10 (8 would need 14 x 10)
//
// An item has all of its rows in turns of rowsAtOnce(), and keeps from one turn to the next the rows of cells that both read.
#pragma once
#include "compiler/kernel/schedule.h"
#include <array>

namespace pbc::kernel {

/// Registers of 4 bytes for what an item keeps of matrices, at most.
inline constexpr long kMostKeptRegisters = 128;

/// As many points along x as 16 bytes of the smallest elements hold.
int runOf(const Kernel &);
/// How many rows of a matrix that one row of an item's points reads the next one reads, too; at most.
long rowsKept(const Kernel &);
/// How many rows of its runs an item computes at a time: as many as it keeps for the next ones, and at least four; or fewer, if what
/// these read does not fit into kMostKeptRegisters, and all of it is kept from turn to turn.
long rowsAtOnce(const Scheduled &);

/// What an item keeps of matrices.
struct Kept {
  long cells = 0, registers = 0;
};
/// With so many rows at a time: the boxes of cells, or if these are too large, what of them some point reads.
Kept keptOfRows(const Scheduled &, long rows);

} // namespace pbc::kernel
