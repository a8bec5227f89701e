// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a part of a step touches: regions from the frame, cells and values from the step's table.
//
//   const StepArguments arguments(step, frame, &box);
//   arguments.matrix(m), arguments.read(m), arguments.value(v)
//
// Invariant: all of them are for the frame's sizes at the time of construction.
#pragma once
#include "runtime/abi/device.h"
#include "runtime/device/library/library_call.h"
#include <vector>

namespace pb::device {

class StepArguments {
public:
  /// `part`: the points of that part; null: all points.
  StepArguments(const DeviceStep &, const Frame *, const Box *part);

  const AnyRegion &matrix(int m) const { return matrices_[static_cast<std::size_t>(m)]; }
  /// Empty if the step does not read (write) the matrix.
  const Cells &read(int m) const { return cells_[static_cast<std::size_t>(m)]; }
  const Cells &written(int m) const { return cells_[matrices_.size() + static_cast<std::size_t>(m)]; }
  DeviceArguments::Value value(int v) const { return values_[static_cast<std::size_t>(v)]; }

  /// How the matrices lie, without their addresses.
  std::vector<LibraryMatrix> libraryMatrices(const DeviceStep &) const;

private:
  std::vector<AnyRegion> matrices_;
  std::vector<Cells> cells_; // those that are read, then those that are written
  std::vector<DeviceArguments::Value> values_;
};

/// With an empty matrix there is nothing to multiply, so the processor is done sooner than a library call.
bool hasEmptyMatrix(const DeviceStep &, const Frame *);

} // namespace pb::device
