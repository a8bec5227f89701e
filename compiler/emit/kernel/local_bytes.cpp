// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/local_bytes.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/lower/lower.h"
#include <fmt/format.h>

namespace pbc::emit {
namespace {

constexpr long kAlignment = 16;

LocalArray ofGroup(const kernel::Buffer &b) {
  LocalArray made{static_cast<long>(kernel::bytesOf(b.element)) * b.buffers};
  for (const kernel::GroupDimension &d : b.ofGroup)
    made.lengths.push_back(
        {d.axis, d.isBlock, d.factor, d.extent + (&d == &b.ofGroup.front() ? kernel::addedToRows(b) : 0)});
  return made;
}

std::string lengthText(const LocalArray::Length &l) {
  if (l.axis < 0)
    return fmt::format("{}", l.extent);
  const std::string points =
      fmt::format("group[{0}]{1}", l.axis, l.isBlock ? fmt::format(" * cells[{}]", l.axis) : "");
  return l.perPoint == 1 && l.extent == 1 ? points
                                          : fmt::format("({} * ({} - 1) + {})", l.perPoint, points, l.extent);
}

} // namespace

std::vector<LocalArray> localArrays(const kernel::Scheduled &kernel, const loop::SharedOut &teams) {
  std::vector<LocalArray> all;
  for (const kernel::Scalar element : teams.arrays)
    all.push_back({static_cast<long>(kernel::bytesOf(element)), {{0}, {1}, {2}}});
  for (const kernel::Buffer &b : kernel.buffers)
    if (b.role == kernel::Buffer::Role::Group)
      all.push_back(ofGroup(b));
  if (const std::optional<kernel::TimeSteps> &steps = kernel.schedule.steps)
    for (const int b : steps->kept) {
      LocalArray planes{
          2 * static_cast<long>(kernel::bytesOf(kernel.buffers[static_cast<std::size_t>(b)].element))};
      for (std::size_t k = 0; k < steps->reach.size(); ++k)
        planes.lengths.push_back({static_cast<int>(k), true});
      const LocalArray cells = planes;
      all.push_back(std::move(planes));
      for (std::size_t k = 0; k < steps->reach.size();
           ++k) { // in front of the planes and behind them (loop/step_loops.cpp)
        LocalArray rows{cells.bytes * steps->reach[k]};
        rows.lengths.assign(cells.lengths.begin(), cells.lengths.begin() + static_cast<std::ptrdiff_t>(k));
        all.push_back(std::move(rows));
      }
    }
  return all;
}

std::string localBytesText(const std::vector<LocalArray> &all) {
  std::string sum;
  for (const LocalArray &a : all) {
    std::string size = fmt::format("{}L", a.bytes);
    for (const LocalArray::Length &l : a.lengths)
      size += " * " + lengthText(l);
    sum +=
        fmt::format("{0}({1} + {2}) / {3} * {3}", sum.empty() ? "" : " + ", size, kAlignment - 1, kAlignment);
  }
  return sum;
}

long localBytes(const std::vector<LocalArray> &all, const int group[3], const int cells[3]) {
  long sum = 0;
  for (const LocalArray &a : all) {
    long size = a.bytes;
    for (const LocalArray::Length &l : a.lengths)
      size *= l.axis < 0
                  ? l.extent
                  : l.perPoint * (static_cast<long>(group[l.axis]) * (l.isBlock ? cells[l.axis] : 1) - 1) +
                        l.extent;
    sum += (size + kAlignment - 1) / kAlignment * kAlignment;
  }
  return sum;
}

} // namespace pbc::emit
