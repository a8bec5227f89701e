// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The memory that the items of a group of a device share, or that one item has.
//
//   items (x, y) read A[x - 1 .. x + 1, y]   =>   { { 0, axis 0, 1, 3 }, { 1, axis 1, 1, 1 } }: (points of the group along x + 2) x (along y)
//
// How many points a group has along an axis is fixed when the kernel is built: PB_G<axis> items with PB_C<axis> points each. In the
// memory of an item, its own points take the place of the group's.
//
// So are the sizes of windows whose extent is known when the program runs only:
//
//   items (x) read A[x .. x + 2 * r]   =>   { { 0, axis 0, 1, 1 + 2 * r } }: points of the group along x + 2 * r
//
// There is a kernel for each value of r that a program comes to, in which r is a number.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pbc::kernel {

struct Kernel;

/// So many cells for each unit of a size of the program, more than 0.
struct SizeTerm {
  std::string size; // a parameter of the kernel
  long factor = 1;
  bool operator==(const SizeTerm &) const = default;
};

/// A dimension of the memory of a group of items: it holds factor * (points of a group along the axis - 1) + extent cells of a
/// dimension of the matrix, next to each other, and those of `sizes`.
struct GroupDimension {
  int dimension = 0; // of the matrix
  int axis = -1; // of the launch, along which the cells move with the item; -1: the same cells for all items
  bool isBlock = false; // items have several points along the axis
  long factor = 0, extent = 1;
  std::vector<SizeTerm> sizes = {}; // in the order of their names

  /// Whether an item may read several cells.
  bool isSeveral() const { return extent > 1 || !sizes.empty(); }
  /// Whether neighbours along the axis may read the same cells.
  bool overlaps() const { return axis >= 0 && (extent > factor || !sizes.empty()); }
};

/// The half of a symmetric matrix that is stored: of the lower one the cells [x, y] with x <= y, of the upper one those with y <= x.
enum class Half { Lower, Upper };
std::string_view nameOf(Half); // "lower"

/// A size that is a number in each kernel that is built.
struct SizeOfBuild {
  std::string size;
  long least = 0; // for which each item reads a cell
  bool operator==(const SizeOfBuild &) const = default;
};

/// Those on which the extents of the memory of groups depend, in the order of their names.
std::vector<SizeOfBuild> sizesOfBuild(const Kernel &);

} // namespace pbc::kernel
