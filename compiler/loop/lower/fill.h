// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loop over the cells of a copy into a group's memory.
//
//   fill A_group from A[first0 - 1, first1]
//   =>  each item: line = its row of items, and so many rows further; at0 = its column, and so many columns further:
//         A_group[at0, line] = A[first0 - 1 + at0, first1 + line]
//
// The items of a group stand in rows as long as a line of the box, or all in one row, so that neighbours copy neighbouring cells, and
// the cells of an item are equally far apart. Where the box reaches beyond the matrix, the matrix's last cells are copied again, which
// needs no branch; nothing reads what lies there. What differs between the cells of an item is added last, so that it is a part of
// the instruction: all of them have one address. Where all rows begin at multiples of 16 bytes, an item copies so many at once. Rows of
// planes (points.cpp) may begin and end between such multiples: their outermost cells are copied one by one.
//
// Of a symmetric matrix, cells that are not stored come from the other side of its diagonal. They are read along its rows, too:
//
//   fill A_group from A[c0, first1], symmetric lower
//   =>  if all cells of the box are stored     each item: A_group[x, y] = A[x, y]                 neighbours along x
//       else if none is                        each item: A_group[y, x] = A[x, y]                 neighbours along x
//       else                                   each item: if x <= y, A_group[x, y] = A[x, y]      neighbours along x
//                                              each item: if x < y,  A_group[y, x] = A[x, y]      neighbours along x
#pragma once
#include "compiler/loop/lower/pass.h"

namespace pbc::loop {

/// `turn`: the number of the memory's buffer; null: the first.
NodePtr filled(const GroupCopy &, const Nest &, const Expr &turn);

} // namespace pbc::loop
