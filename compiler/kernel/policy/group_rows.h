// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How the rows of a group's memory are laid so that what is served at once of an access is in different banks, both for items that read it
// and for the copy that fills it.
//
//   rows along x, items read A[x - 1 .. x + 1, y]                    =>   as they are: neighbours are in neighbouring banks
//   columns of a matrix next to each other, 8 of its rows at once    =>   pad = 16 bytes: 8 rows begin in different banks
//   rows along a strip of 16 steps, of doubles                       =>   pad = 16 bytes: points of neighbouring rows, in different banks
//   rows along x, items read A[2 * x .. 2 * x + 1, y] of doubles     =>   parts = 2, gap = 7, pad = 1: even cells, then odd ones
//
// The memory has 32 banks of 4 bytes. Groups have a multiple of 32 items along axis 0, and a copy is dealt out as loop/lower/fill.h
// says: neighbours in a row of the matrix to neighbouring items, or of each of 8 cells of a row as many rows as fill the banks.
#pragma once
#include "compiler/kernel/transform/copies.h"
#include "compiler/kernel/transform/group_copies.h"

namespace pbc::kernel {

/// Whether what the steps of a strip read of a row lies next to each other as in the matrix, and not what the points of an item read: rows are
/// then copied and read 16 bytes at once. It is so where items along axis 0 read the same row, which fills all banks.
bool isReadAlongSteps(const GroupBox &, const GroupDimension &moving, long bytesOfCell);

/// Chooses parts, gap and pad for the copy of a matrix whose cells have so many bytes.
void layRows(CopyRequest &, const GroupBox &, long bytesOfCell);

} // namespace pbc::kernel
