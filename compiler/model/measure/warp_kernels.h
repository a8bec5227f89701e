// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernels that measure what an instruction of a warp costs, in the dialect of runtime/device/dialect.h.
//
//   warpKernel({WarpUnit::F32, chains 4})   =>  a loop of 256 multiply-adds, 64 in each of four chains
//
// All of a chain wait for each other, and chains do not, so that times of few and many chains give latency and gap (two_lines.h). The
// loop has nothing else but its counter. The compiler can leave out nothing: operands are arguments, results are stored, and loads lead from
// one place to the next. On CUDA, single instructions stand in inline PTX where C has none for them. Tests look for the instructions in the
// machine code. Source: bottleneck-analysis.md 9.
//
// Arguments: a buffer; a buffer for results, eight bytes for each item; a number that is 1; how many items of a group work; turns of the loop. Then:
//   memories     first row, rows between two chains, a mask of rows (warpWayKernel fills the buffer), rows between two items of a warp
//   shared       words between the places of neighbouring items
#pragma once
#include "compiler/model/machine/warp_cost.h"
#include <string>

namespace pbc::model {

inline constexpr int kWarpItems = 32;
inline constexpr int kRowItems = 32; // places of eight bytes of a row of memory: one for each item of a warp
inline constexpr const char *kWarpEntry = "pb_warp";

struct WarpKernel {
  std::string text;
  int operations = 0;    // of one chain in a turn of the loop
  bool isPartial = true; // only some of a group's items may work; else all of them have to
};

/// For each unit but `Start` and `Lines`; `chains`: of an item. A barrier has one.
WarpKernel warpKernel(WarpUnit, int chains);

/// Does nothing. Arguments: a buffer, 0.
std::string warpStartKernel();
inline constexpr const char *kWarpStartEntry = "pb_warp_start";

/// Makes each place of row r lead to the same place of row (r * factor + step) & mask. Arguments: buffer, factor, step, mask.
std::string warpWayKernel();
inline constexpr const char *kWarpWayEntry = "pb_warp_way";

} // namespace pbc::model
