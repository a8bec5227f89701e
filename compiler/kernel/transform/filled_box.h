// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which cells of an input a copy for the items of a group, or for one item, has (group_copies.h).
//
//   S[x, y]: B[x, y] = A[x - 1, y] + A[x + 1, y] with items (x, y)   =>   first: (first0 - 1, first1); 3 x 1 cells for each point
//
// The cells that one item uses in a step of the loops around the copy form a box of constant size, which moves with at most one coordinate
// of the item along each dimension. In the memory of a group that is filled once, extents may depend on sizes of the program:
//
//   S[x, k]: B[x] += A[x + k] for k < r, with items (x)   =>   first: (first0); r cells for each point (group_memory.h)
//
// Reads whose boxes move differently may have a copy each. They are numbered from 1 in the order of the statements, without those that read
// a copy already:
//
//   S[x, y, k]: C[x, y] += A[k, y] * A[k, x]   =>   access 1: A[k, y], which moves with y; access 2: A[k, x], which moves with x
#pragma once
#include "compiler/kernel/cell_box.h"
#include "compiler/kernel/expose.h"
#include "compiler/kernel/transform/copies.h"
#include <map>
#include <set>

namespace pbc::kernel {

/// The copy of one input.
struct Filling {
  int matrix = -1;
  bool isOfItem = false;
  std::size_t axes = 0;                        // of the items
  std::string below;                           // the loop below which the copy is made
  std::vector<std::string> loops;              // around it, without those of items
  std::map<int, isl::map> values;              // by statement: { S[i] -> [items, loops] }
  std::set<std::pair<int, std::size_t>> reads; // that the copy is for: statement, access
  std::size_t ways = 1; // in which reads of the matrix move; known if one was asked for
  isl::map touched;     // { [items, loops] -> [cells] }
  CellBox box;
  std::vector<GroupDimension> dimensions; // of the matrix
  std::vector<isl::pw_aff> first;         // { [loops] -> cell }, with first<axis>
};

/// Where the copy would be made, and of what; a sentence if it cannot. `exposed`: the kernel with the loops around the copy among the
/// dimensions of its statements.
std::string analyse(Filling &, std::optional<Exposed> &exposed, const Scheduled &, const CopyRequest &);
/// The steps in which the copy is made: of a kernel with the points of one group (item_values.h), those to which some item of the group comes.
/// Null if the kernel has all points, and some item does not come to all of them, so that it could not help.
isl::set stepsOf(const Filling &, const Scheduled &);
/// Of an item: whether the cells at the ends of the box are read by some statement, along each dimension, so that they exist.
bool isWithin(const Filling &, const Scheduled &);
/// The space with this parameter only.
isl_space *spaceOf(isl_ctx *, const std::string &parameter);

} // namespace pbc::kernel
