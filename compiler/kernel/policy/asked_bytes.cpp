// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/asked_bytes.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/item_values.h"
#include <algorithm>
#include <cmath>

namespace pbc::kernel {
namespace {

constexpr double kWarpLanes = 32, kItemsOfGroup = 256;
constexpr unsigned kLeastExchanged = 4; // bytes of elements that lanes take from each other

/// Cells of a dimension for each of its points, where so many read it together.
double ofPoints(const GroupDimension &d, double points) {
  return (static_cast<double>(d.factor) * (points - 1) + static_cast<double>(d.extent)) / points;
}

/// The bytes of all memories of items, if `ofDimension` says how many cells for a point there are along each dimension, and so many
/// points read the same cells along an axis with which no dimension moves.
template <class OfDimension>
double bytesFor(const Scheduled &kernel, const std::array<double, 2> &points,
                const OfDimension &ofDimension) {
  const std::size_t axes = std::min(points.size(), itemLoops(kernel.schedule.tree).size());
  double all = 0;
  for (const Buffer &b : kernel.buffers) {
    if (b.role != Buffer::Role::Item)
      continue;
    double bytes = bytesOf(b.element);
    for (const GroupDimension &d : b.ofGroup)
      bytes *= ofDimension(d, bytesOf(b.element));
    for (std::size_t axis = 0; axis < axes; ++axis)
      if (std::none_of(b.ofGroup.begin(), b.ofGroup.end(),
                       [&](const GroupDimension &d) { return d.axis == static_cast<int>(axis); }))
        bytes /= points[axis];
    all += bytes;
  }
  return all;
}

} // namespace

double askedByItems(const Scheduled &kernel, std::array<int, 3> cells, long atOnce) {
  const std::array<double, 2> points{static_cast<double>(cells[0]), static_cast<double>(cells[1])};
  return bytesFor(kernel, points, [&](const GroupDimension &d, unsigned bytes) {
    if (d.axis < 0 || !d.isBlock)
      return static_cast<double>(d.extent);
    const bool isRow = d.dimension == 0;
    if (d.axis == 0 && isRow && d.factor == 1 && bytes >= kLeastExchanged) {
      // The cells beside a run come from so many lanes further, which the last lanes of a warp do not have.
      const double lanes = std::ceil(static_cast<double>(d.extent - 1) / points[0]);
      return 1 + lanes * (lanes + 1) / (2 * kWarpLanes);
    }
    if (d.axis == 1 && !isRow && d.factor == 1)
      return ofPoints(d, points[1]);
    return ofPoints(d, d.axis == 0 ? points[0] : std::min(points[1], static_cast<double>(atOnce)));
  });
}

double askedByGroups(const Scheduled &kernel) {
  const bool isLine = itemLoops(kernel.schedule.tree).size() == 1;
  const double x = isLine ? kItemsOfGroup : kWarpLanes;
  const std::array<double, 2> points{x, kItemsOfGroup / x};
  return bytesFor(kernel, points, [&](const GroupDimension &d, unsigned /*bytes*/) {
    return d.axis < 0 || !d.isBlock ? static_cast<double>(d.extent)
                                    : ofPoints(d, points[static_cast<std::size_t>(d.axis)]);
  });
}

} // namespace pbc::kernel
