// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/group_size.h"
#include <algorithm>

namespace pb::device {
namespace {

constexpr double kMostItems = 1024; // as descriptions of configurations say (compiler/emit/placements.cpp)

template <class Number>
std::string timesText(const Number *of) {
  const auto text = [&](int d) {
    return std::to_string(std::max<Number>(1, of[d]));
  }; // 0 along an axis that points do not have
  return text(0) + " x " + text(1) + " x " + text(2);
}

} // namespace

void groupOf(const DeviceStep &step, const Frame *frame, const Description &about, int *group) {
  for (int d = 0; d < 3; ++d)
    group[d] = static_cast<int>(
        std::clamp(ofContext(step.group)[3 * frame->bin + d], 1L, static_cast<long>(about.groupExtent[d])));
  while (static_cast<long>(group[0]) * group[1] * group[2] > about.largestGroup)
    for (int d = 2; d >= 0; --d) // x last, because neighbours along x are contiguous
      if (group[d] > 1) {
        group[d] /= 2;
        break;
      }
}

std::string whyTooLarge(const DeviceStep &step, const Frame *frame, const int *group) {
  const long *asked = ofContext(step.group) + 3L * frame->bin;
  double items = 1;
  for (int d = 0; d < 3; ++d)
    items *= static_cast<double>(std::max(1L, asked[d]));
  if (items <= kMostItems)
    return "";
  return "the configuration asks for groups of " + timesText(asked) +
         " work-items, of which a group can have 1024; they have " + timesText(group);
}

} // namespace pb::device
