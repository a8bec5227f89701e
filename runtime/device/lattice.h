// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cells of a storage as cells of a lattice, on which views are boxes.
//
//   Lattice lattice(8 * 640 * 480);
//   lattice.cover({.offset = 8 * 1283, .elementBytes = 8, .rank = 2,
//                  .stride = {8, 5120}, .extent = {5, 4}}, {})
//     =>  strides {8, 5120}; one box [3, 8) x [2, 6), exact
//   lattice.transfers(box)
//     =>  {.offset = 10264, .bytes = 40, .rows = 4, .rowStride = 5120}
//
// A position in the storage, in bytes, is divided into whole strides, largest first; the quotients are the
// coordinates of the cell. The strides are those of the views that were seen; a view with a new stride
// refines the lattice, and the sets of boxes that are on it already are converted. So a storage that is only
// ever seen as a whole has one dimension, transposed views are the same boxes, and a view of every second
// element is a box, too.
//
// Views that fit on no lattice (overlapping strides, a view that crosses the end of another's rows, more than
// five strides) count as the whole storage, and `exact` is false.
//
// Invariants: strides ascend, and the first divides all others; boxes of one lattice are disjoint exactly if
// their bytes are; every box that cover() gives lies inside the storage.
#pragma once
#include "runtime/abi/region.h"
#include "runtime/device/box_set.h"
#include "runtime/device/device.h"
#include <vector>

namespace pb::device {

/// Cells of a storage; strides and offset in bytes.
struct View {
  long offset = 0; // of the cell (0, 0, ...) in the storage
  int elementBytes = 1;
  int rank = 0;
  long stride[AnyRegion::kMaxRank] = {};
  long extent[AnyRegion::kMaxRank] = {};
};

struct Cover {
  BoxSet cells;
  bool exact = true; // false: `cells` has more than the view's cells
};

class Lattice {
public:
  static constexpr int kMostStrides = 5;

  /// `bytes`: the size of the storage.
  explicit Lattice(unsigned long bytes) : bytes_(static_cast<long>(bytes)) {}

  int rank() const { return rank_; }
  long stride(int d) const { return stride_[d]; }

  /// The cells of the view. `sets`: all sets that are kept on this lattice; they are converted where it is
  /// refined.
  Cover cover(const View &, const std::vector<BoxSet *> &sets);
  BoxSet whole() const;
  /// The bytes of a box. Contiguous rows are joined; there are several transfers where three dimensions are
  /// not enough.
  std::vector<Transfer> transfers(const Box &) const;
  std::vector<Transfer> transfers(const BoxSet &) const;

private:
  bool refine(long stride, const std::vector<BoxSet *> &sets);
  /// Appends boxes that together have the positions [low, high), in the coordinates of dimensions first to
  /// last - 1; in other dimensions they are [0, 1).
  void interval(long low, long high, int first, int last, Box box, std::vector<Box> &result) const;
  int find(long stride) const;

  long bytes_;
  int rank_ = 0;
  long stride_[kMostStrides] = {};
};

} // namespace pb::device
