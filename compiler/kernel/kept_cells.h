// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many cells an item that goes through planes of its points, or rows of them, has in registers at a time.
//
//   B[x, y, z] from A[x, y, z - 1 .. z + 1], A[x - 1, y, z], A[x + 1, y, z], for runs of 4 x 1 points
//   =>  4 cells of each of 3 planes, and 2 beside the run of each of the last 2 planes: 16
//
// A cell comes with the last plane of the item's memory, and goes on to the planes before it, as far as one is read. Other cells of the
// memory are in no register, because nothing reads them. In turns of several rows, it goes on by so many rows.
#pragma once
#include "compiler/kernel/schedule.h"
#include <array>

namespace pbc::kernel {

enum class Turns { OfRows, OfPlanes };

/// Of this memory of an item (Buffer::Role::Item), with so many points along the first two axes in a turn.
long keptCells(const Scheduled &, int buffer, std::array<int, 2> points, Turns);

} // namespace pbc::kernel
