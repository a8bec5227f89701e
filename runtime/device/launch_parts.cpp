// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/launch_parts.h"
#include <algorithm>

namespace pb::device {

void fitGroup(int group[3], const long items[3], const Description &about) {
  long spare = 1; // so many times as many items as the axes need
  for (int d = 0; d < 3; ++d)
    for (; group[d] > 1 && group[d] / 2 >= items[d]; group[d] /= 2)
      spare *= 2;
  for (int d = 0; d < 3; ++d)
    for (; spare > 1 && group[d] < items[d] && 2 * group[d] <= about.groupExtent[d]; group[d] *= 2)
      spare /= 2;
}

void findParts(Launch &launch, const DeviceStep &step, const Frame *frame, const Description &about) {
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
    launch.parts.push_back({boxes[k]});
    inParts += points(boxes[k]);
  }
  const auto launches = static_cast<long>(launch.parts.size());
  if (inParts + (launches - 1) * kItemsForALaunch >= points(launch.box))
    launch.parts.clear();
  for (LaunchPart &part : launch.parts) { // which may be one cell thick along any axis
    constexpr int kOne[3] = {1, 1, 1};
    const Grid grid = gridOf(part.box, launch.inRounds, kOne, launch.cells, launch.hasRuns);
    std::copy_n(launch.group, 3, part.group);
    fitGroup(part.group, grid.items, about);
  }
}

} // namespace pb::device
