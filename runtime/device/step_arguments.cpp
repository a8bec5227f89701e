// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/step_arguments.h"

#include <algorithm>

namespace pb::device {

namespace {

Cells allOf(const AnyRegion &region, int rank) {
  Cells all{};
  for (int d = 0; d < rank; ++d)
    all.high[d] = region.extent[d];
  return all;
}

} // namespace

StepArguments::StepArguments(const DeviceStep &step, const Frame *frame, const Box *part)
    : cells_(2 * static_cast<std::size_t>(step.matrixCount)),
      values_(static_cast<std::size_t>(step.valueCount)) {
  matrices_.reserve(static_cast<std::size_t>(step.matrixCount));
  Cells *const read = cells_.data(), *const written = read + step.matrixCount;
  for (int m = 0; m < step.matrixCount; ++m) {
    const DeviceMatrix &matrix = step.matrices[m];
    matrices_.push_back(regionAt(reinterpret_cast<const char *>(frame) + matrix.region, matrix.rank));
    if (step.arguments)
      continue;
    if (matrix.reads)
      read[m] = allOf(matrices_.back(), matrix.rank);
    if (matrix.writes)
      written[m] = allOf(matrices_.back(), matrix.rank);
  }
  if (step.arguments) {
    DeviceArguments arrays{read, written, values_.data()};
    step.arguments(frame, part, &arrays);
  }
}

std::vector<LibraryMatrix> StepArguments::libraryMatrices(const DeviceStep &step) const {
  std::vector<LibraryMatrix> all;
  for (int m = 0; m < step.matrixCount; ++m) {
    const DeviceMatrix &touched = step.matrices[m];
    LibraryMatrix &lies = all.emplace_back(LibraryMatrix{.elementBytes = touched.elementBytes});
    for (int d = 0; d < std::min(3, touched.rank); ++d)
      lies.stride[d] = matrix(m).stride[d], lies.extent[d] = matrix(m).extent[d];
  }
  return all;
}

bool hasEmptyMatrix(const DeviceStep &step, const Frame *frame) {
  const StepArguments arguments(step, frame, nullptr);
  for (int m = 0; m < step.matrixCount; ++m)
    for (int d = 0; d < step.matrices[m].rank; ++d)
      if (arguments.matrix(m).extent[d] <= 0)
        return true;
  return false;
}

} // namespace pb::device
