// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many cells an item that goes through planes of its points, or rows of them, has in registers at a time.
//
//   B[x, y, z] from A[x, y, z - 1 .. z + 1], A[x - 1, y, z], A[x + 1, y, z], for runs of 4 x 1 points
//   =>  4 cells of each of 3 planes, and 2 beside the run of each of the last 2 planes: 16
//
// A cell comes with the last plane of the item's memory, and goes on to the planes before it, as far as one is read. Other cells of the
// memory are in no register, because nothing reads them. In turns of several rows, it goes on by so many rows. Where the last `planes` are
// read in the group's memory in each turn, only what planes before them read is kept:
//
//   the same with planes = 2   =>  4 cells of each of 3 planes, and 2 beside the run of the plane in the middle: 14
#pragma once
#include "compiler/kernel/schedule.h"
#include <array>

namespace pbc::kernel {

enum class Turns { OfRows, OfPlanes };

/// Of this memory of an item (Buffer::Role::Item), with so many points along the first two axes in a turn.
long keptCells(const Scheduled &, int buffer, std::array<int, 2> points, Turns, long planes = 1);

/// How many of the last planes items read in memory of their group in each turn; 1 if the cells come from the matrix.
long planesOfGroup(const Scheduled &, int buffer);

/// Registers of 4 bytes for what an item with so many rows of points keeps while it goes through planes.
long registersInPlanes(const Scheduled &, int rows);

} // namespace pbc::kernel
