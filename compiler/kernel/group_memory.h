// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The memory that the items of a group of a device share, or that one item has.
//
//   items (x, y) read A[x - 1 .. x + 1, y]   =>   { { 0, axis 0, 1, 3 }, { 1, axis 1, 1, 1 } }: (points of the group along x + 2) x (along y)
//
// How many points a group has along an axis is fixed when the kernel is built: PB_G<axis> items with PB_C<axis> points each. In the
// memory of an item, its own points take the place of the group's.
#pragma once

namespace pbc::kernel {

/// A dimension of the memory of a group of items: it holds factor * (points of a group along the axis - 1) + extent cells of a
/// dimension of the matrix, next to each other.
struct GroupDimension {
  int dimension = 0; // of the matrix
  int axis = -1; // of the launch, along which the cells move with the item; -1: the same cells for all items
  bool isBlock = false; // items have several points along the axis
  long factor = 0, extent = 1;
};

} // namespace pbc::kernel
