// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/launch_parts.h"
#include <algorithm>

namespace pb::device {

void findParts(Launch &launch, const DeviceStep &step, const Frame *frame) {
  constexpr long kItemsForALaunch = 1 << 17; // as many without a point cost about as much as a launch
  const auto points = [](const Box &box) {
    long all = 1;
    for (int d = 0; d < box.rank; ++d)
      all *= box.high[d] - box.low[d];
    return all;
  };
  Box boxes[kMostParts];
  long inParts = 0;
  for (int k = 0, count = step.parts(frame, boxes); k < count; ++k) {
    for (int d = 0; d < launch.box.rank; ++d) {
      boxes[k].low[d] = std::max(boxes[k].low[d], launch.box.low[d]);
      boxes[k].high[d] = std::min(boxes[k].high[d], launch.box.high[d]);
    }
    if (pb::isEmpty(boxes[k]))
      continue;
    launch.parts.push_back(boxes[k]);
    inParts += points(boxes[k]);
  }
  const auto launches = static_cast<long>(launch.parts.size());
  if (inParts + (launches - 1) * kItemsForALaunch >= points(launch.box))
    launch.parts.clear();
  // A part may be one cell thick along any axis.
  constexpr int kThin = 8;
  for (const Box &part : launch.parts)
    for (int d = 0; d < std::min(3, part.rank); ++d)
      if (part.high[d] - part.low[d] < launch.group[d])
        launch.group[d] = std::min(launch.group[d], kThin);
}

} // namespace pb::device
