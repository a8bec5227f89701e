// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The versions in which a device computes blocks of rows that wait for each other (waiting_rows.h).
//
//   X[x, y] = (B[x, y] - sum of A[k, y] X[x, k] over k < y) / A[y, y]
//   =>  "blocks":  start: items();  finish: items();  update: items(; each = block); strips of k ... as a product's "blocks"
//       "buffers": the same with two buffers for each strip of the update
//
// A version's own script and kernel are those of `update`, which has nearly all of the work. What is launched once for each
// block comes with it.
//
// Invariant: the items of all three kernels compute whole columns, or cells of them, of any part of the points that the step's own
// items can be cut into.
#pragma once
#include "compiler/kernel/items.h"
#include "compiler/kernel/policy/device.h"

namespace pbc::kernel {

struct RowBlocks {
  Scheduled start, finish;    // after their scripts
  std::string row;            // the free variable, "y"
  bool isTriangle = false;    // a whole block's rows may be kept in registers (loop/kept_rows.h)
  bool isBackward = false;    // from the last block to the first one
  isl::pw_aff low, high;      // all rows
  int result = -1, sums = -1; // buffers; cells of sums are those of the result
};

struct RowVersions {
  std::vector<DeviceVersion> versions; // "blocks" and "buffers", one of which exists; or none
  std::string why;                     // if there are none and rows of the result are added up, one sentence
};

/// `items`: of the step.
RowVersions versionsInRows(const Scheduled &lifted, const Items &items);

} // namespace pbc::kernel
