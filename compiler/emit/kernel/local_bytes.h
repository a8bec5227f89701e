// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How much memory a group of a device's kernel needs, by the sizes of groups and blocks, which a launch chooses.
//
//   a row of A with one cell on either side, for each item's point:   8 bytes x (1 * (points along axis 0 - 1) + 3)
//   for groups of 256 items with one point each                       2064 bytes
//   as C++ of the kernels' tables                                     (8L * (1 * (group[0] - 1) + 3) + 15) / 16 * 16
// Where extents depend on sizes of the program (kernel/group_memory.h), these are `sizes`, in the order of kernel::sizesOfBuild().
//
// Invariant: arrays begin at multiples of 16 bytes, so each has a multiple of them.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/loop/tree.h"
#include <string>
#include <utility>
#include <vector>

namespace pbc::loop {
struct SharedOut;
}

namespace pbc::emit {

struct LocalArray {
  /// perPoint * (points of the group along the axis - 1) + extent; just the extent without an axis.
  struct Length {
    int axis = -1;
    bool isBlock = false; // items have several points along the axis
    long perPoint = 1, extent = 1;
    std::vector<std::pair<std::size_t, long>> sizes = {}; // which one, and how many cells for each unit
  };
  long bytes = 0; // of an element
  std::vector<Length> lengths = {};
};

std::vector<LocalArray> localArrays(const kernel::Scheduled &, const loop::SharedOut &teams);
/// C++ over `group`, `cells` and `sizes`; "" without arrays.
std::string localBytesText(const std::vector<LocalArray> &);
long localBytes(const std::vector<LocalArray> &, const int group[3], const int cells[3],
                const std::vector<long> &sizes);

} // namespace pbc::emit
