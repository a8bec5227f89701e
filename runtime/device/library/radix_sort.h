// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc.sort(y, x)`: sorts numbers on a device by their digits, the smallest first.
//
//   RadixSort sort(device, LibraryCall("pbc.sort double"));
//   EventRef event = sort.launch(device, arguments);
//
// Floating-point numbers have the order of rule RadixSort of stdlib/sort.pbcc, to the bit: -0 before 0, NaNs whose sign is
// set before all numbers, other NaNs behind them. x stays as it is.
//
// One launch counts all digits of all keys, then each of 4 or 8 passes reads and writes the keys once, or, where groups
// do not wait for each other, reads them twice (radix_sort_kernels.h). Passes go to and fro between two arrays; the last one
// writes y itself, unless y has a stride, or is the processor's memory, which nothing may write any more if a pass is refused. Memory that is needed:
// once or twice the keys, and 1 to 2 KiB for each tile of a few thousand keys.
#pragma once
#include "runtime/device/library/own_function.h"
#include "runtime/device/library/radix_sort_kernels.h"

namespace pb::device {

class RadixSort : public OwnFunction {
public:
  RadixSort(Device &, const LibraryCall &);
  EventRef launch(Device &, const std::vector<Argument> &arguments) const override;

private:
  class Launches; // of one call

  const LibraryCall call_;
  const int bytes_; // of an element
  const SortShape shape_;
  std::vector<std::unique_ptr<Kernel>> kernels_; // by SortKernel; null: not used
};

} // namespace pb::device
