// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies of what the items of a group read of an input, in memory that they share; or of what one item reads, in its registers.
//
//   item:1: band y: item:0: band x: S[x, y]: B[x, y] = A[x - 1, y] + A[x + 1, y]
//   => withGroupCopy(kernel, {"A"})
//   item:1: band y: item:0: band x: sequence
//     A_fill[]: A_group = A from (first0 - 1, first1)           all items together
//     S[x, y]: B[x, y] = A_group[place0, place1] + A_group[place0 + 2, place1]
//
//   run:1: band y: run:0: band x: S[x, y]: B[x, y] = A[x - 1, y] + A[x + 1, y]
//   => withGroupCopy(kernel, {"A", .isKept = true})
//     A_fill[]: A_item = A from (begin0 - 1, begin1)            each item its own
//     S[x, y]: B[x, y] = A_item[r0, r1] + A_item[r0 + 2, r1]
//
// `at` names a loop of each item, in each of whose steps the copy is made: it must have the same steps for all items. Where items have
// blocks of points, the copy is made in all steps to which some item of the group comes, and no instance of another group is left in the
// kernel (ofOneGroup in item_values.h):
//
//   block:1: band y: block:0: band x: band kt: band k: S[x, y, k]: s[x, y] += A[k, y]      for 0 <= k <= y
//   => withGroupCopy(kernel, {"A", "kt"})
//   .. band kt: sequence { A_fill[kt] for 0 <= kt <= last1 ; band k: S[x, y, k] for first1 <= y <= last1 and 0 <= k <= y }
// The box of cells
// that one item uses has a constant size, or without `at` one that is a sum of sizes of the program, and moves with at most one coordinate
// of the item along each dimension; the group's box then is as large as its number of points and these sizes ask for, whatever they are when
// the kernel is built. Reads of one matrix whose boxes move differently
// may have a copy each (filled_box.h).
//
// Of a symmetric matrix that the kernel reads as if all of it were stored (mirrored.h), the copy has both halves:
//
//   S[x, y, k]: C[x, y] += A[k, y] * B[x, k]      of which only the cells A[x, y] with x <= y are stored
//   => withGroupCopy(kernel, {"A", "kt", .stored = Half::Lower})
//   A_fill[kt]: A_group = A from (kt, first1), symmetric lower      what lies beyond the diagonal comes from its other side
//
// Source: petabricks-hetero 4, phase 3;
// requirements 17 to 19, 97, 98.
#pragma once
#include "compiler/kernel/transform/copies.h"

namespace pbc::kernel {

/// The copy of an input, in the memory of a group, or if it isKept, of an item. `pad` cells are added to each row. Transposed memory has the dimension
/// first along which items have several points; without one, the order of dimensions is reversed.
Outcome withGroupCopy(const Scheduled &, const CopyRequest &);

/// What the items of a group would copy; a sentence if they cannot.
struct GroupBox {
  std::vector<GroupDimension> dimensions; // as they are in the matrix
  std::string why;
  std::size_t ways = 1; // in which reads of the matrix move; known if one was asked for
};
GroupBox groupBox(const Scheduled &, const CopyRequest &);

} // namespace pbc::kernel
