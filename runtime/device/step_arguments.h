// What a part of a step touches, in arrays as long as the step's table asks for.
//
//   const StepArguments arguments(step, frame, &box);
//   arguments->matrix[m], arguments->read[m], arguments->value[v]
//
// Invariant: cells and regions belong to the frame's sizes at the time of construction.
#pragma once
#include "runtime/abi/device.h"
#include <vector>

namespace pb::device {

class StepArguments {
public:
  /// Null for `part`: of all points.
  StepArguments(const DeviceStep &step, const Frame *frame, const Box *part)
      : matrices_(static_cast<std::size_t>(step.matrixCount)), cells_(2 * matrices_.size()),
        values_(static_cast<std::size_t>(step.valueCount)),
        arrays_{matrices_.data(), cells_.data(), cells_.data() + matrices_.size(), values_.data()} {
    step.arguments(frame, part, &arrays_);
  }
  StepArguments(const StepArguments &) = delete;
  StepArguments &operator=(const StepArguments &) = delete;

  const DeviceArguments *operator->() const { return &arrays_; }

private:
  std::vector<AnyRegion> matrices_;
  std::vector<Cells> cells_; // read, then written
  std::vector<DeviceArguments::Value> values_;
  DeviceArguments arrays_;
};

} // namespace pb::device
