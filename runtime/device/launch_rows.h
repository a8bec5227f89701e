// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The commands of a launch that computes rows in blocks (abi/device.h, DeviceRows), and what they need: two kernels beside the launch's
// own, and memory for sums.
//
//   100 rows in blocks of 32     start; finish 0 to 31, update 32 to 99; finish 32 to 63, update 64 to 99; finish 64 to 95, update 96 to 99;
//                                finish 96 to 99: 8 commands
//   the same backward            start; finish 96 to 99, update 0 to 95; finish 64 to 95, ...
//
// A block ends at a multiple of its rows, so that copies of rows begin where memory is aligned.
//
// Invariant: every command has points, and each row is finished after all updates that have it.
#pragma once
#include "runtime/abi/device.h"
#include "runtime/device/kernel_shelf.h"
#include "runtime/device/manager.h"
#include "runtime/device/maps.h"
#include <string>
#include <vector>

namespace pb::device {

/// Sets `rows` of a launch that has its box: the commands, without kernels. `ofBlock`: rows of a block.
void findRows(Launch &, const DeviceRows &, const Frame *, long ofBlock);

/// Builds the kernels beside the launch's own, and makes the memory for sums, which the launch gets as its last matrix.
struct RowsMemory {
  std::vector<MapMemory> memory; // until the launch was given
  std::string why; // if a kernel cannot be built; then `launch` has no more matrices than before
};
Job addRows(RowsMemory &, Launch &, const DeviceKernel &, const DeviceStep &, KernelShelf &, KernelForm form);

} // namespace pb::device
