// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which lines of a kernel's text its instructions were compiled from: the section .debug_line of a cubin, which NVIDIA's compilers write with
// --generate-line-info.
//
//   kernel.cu:48 calls exp, math.cu:127    =>  the instructions of exp, too, are for line 48
//
// What was inlined belongs to the line of the kernel that calls it, so that all lines are of the file in which the kernel stands. Source: DWARF
// 2, section 6.2, and NVIDIA's operation 0x90, which says to which row of the table the ones behind it were inlined (measured: NVRTC 13.0).
#pragma once
#include "compiler/cubin/bytes.h"
#include <vector>

namespace pbc::cubin {

/// Instructions that stand one after the other, most often those of one kernel.
struct LineSequence {
  std::size_t addressAt =
      0; // where the section has the address at which they begin, to which a relocation gives a meaning
  struct Row {
    long place; // bytes from there
    long line;  // from this place on; 0: it is not known
  };
  std::vector<Row> rows; // by place
};

/// None for tables of other forms. Throws Unreadable for one that is cut off.
std::vector<LineSequence> lineTable(const Bytes &section);

/// The line at a place; 0: it is not known.
long lineAt(const LineSequence &, long place);

} // namespace pbc::cubin
