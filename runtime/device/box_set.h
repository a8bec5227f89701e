// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sets of cells as disjoint boxes.
//
//   BoxSet valid(Box{2, {0, 0}, {640, 480}});
//   valid.subtract(Box{2, {0, 10}, {640, 20}});      // two boxes: above and below
//   valid.covers(Box{2, {5, 30}, {6, 40}})           // true
//   valid.add(Box{2, {0, 10}, {640, 20}});           // one box again
//
// Invariants: boxes are disjoint, none is empty, all have one rank. Two boxes whose union is a box are
// merged, so a set that grew row by row is one box. Operations take time quadratic in the number of boxes,
// which is expected to stay below about ten.
#pragma once
#include "runtime/abi/loops.h"
#include <vector>

namespace pb::device {

class BoxSet {
public:
  BoxSet() = default;
  explicit BoxSet(const Box &box) { add(box); }
  explicit BoxSet(const std::vector<Box> &boxes);

  bool isEmpty() const { return boxes_.empty(); }
  const std::vector<Box> &boxes() const { return boxes_; }
  /// The number of cells in all boxes.
  long cells() const;

  void clear() { boxes_.clear(); }
  void add(const Box &);
  void add(const BoxSet &);
  void subtract(const Box &);
  void subtract(const BoxSet &);

  BoxSet intersected(const BoxSet &) const;
  BoxSet without(const BoxSet &) const;
  bool meets(const BoxSet &) const;
  bool covers(const Box &) const;
  bool covers(const BoxSet &) const;

private:
  void merge();
  std::vector<Box> boxes_;
};

} // namespace pb::device
