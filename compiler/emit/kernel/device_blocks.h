// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints a work-item that computes a block of cells, all their scalars in registers.
//
//   item (x, y): s = 0; for k: s += A[k, y] * B[x, k]; C[x, y] = s
//   =>  s[PB_C1][PB_C0]
//       for chunks of PB_K steps of k:
//         the group copies strips of A and B into its local memory
//         for k in the chunk: for the PB_C1 x PB_C0 cells: s[..] += A_0[..] * B_1[..]
//       all cells are stored
//
// The cells of an item lie PB_G0 (PB_G1) apart, so that neighbouring items touch neighbouring cells. A read
// in a loop over k that moves with k and with only one of x and y forms a strip; all cells of a group along
// the other dimension share it. Cells beyond the end compute what the last one does and are not stored. The
// loops must have the same bounds for all items; the order of operations of each cell stays as it is. Source:
// petabricks-hetero, requirements 97 and 98.
#pragma once
#include "compiler/emit/kernel/instance.h"
#include "compiler/kernel/on_device.h"
#include <optional>

namespace pbc::emit {

struct DeviceBlocks {
  std::string arrays;     // in group-local memory
  std::string statements; // after first<k> is defined; without a guard
  std::string localBytes; // C++ over group and cells; "": none
};

/// `nest`: the loops of an item (loops.h). Nothing if the loops differ between items, or there are none.
std::optional<DeviceBlocks> deviceBlocks(const kernel::Items &, const isl::ast_node &nest, Used &);

} // namespace pbc::emit
