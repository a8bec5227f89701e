// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/local_bytes.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/lower/lower.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::emit {
namespace {

constexpr long kAlignment = 16;

LocalArray ofGroup(const kernel::Buffer &b, const std::vector<kernel::SizeOfBuild> &sizes) {
  LocalArray made{static_cast<long>(kernel::bytesOf(b.element)) * b.buffers};
  for (const kernel::GroupDimension &d : b.ofGroup) {
    made.lengths.push_back(
        {d.axis, d.isBlock, d.factor, d.extent + (&d == &b.ofGroup.front() ? kernel::addedToRows(b) : 0)});
    for (const kernel::SizeTerm &term : d.sizes) {
      const auto at = std::find_if(sizes.begin(), sizes.end(),
                                   [&](const kernel::SizeOfBuild &s) { return s.size == term.size; });
      made.lengths.back().sizes.emplace_back(at - sizes.begin(), term.factor);
    }
  }
  return made;
}

std::string lengthText(const LocalArray::Length &l) {
  std::string cells = std::to_string(l.extent);
  for (const auto &[size, factor] : l.sizes)
    cells += fmt::format(" + {} * sizes[{}]", factor, size);
  if (l.axis < 0)
    return l.sizes.empty() ? cells : "(" + cells + ")";
  const std::string points =
      fmt::format("group[{0}]{1}", l.axis, l.isBlock ? fmt::format(" * cells[{}]", l.axis) : "");
  return l.perPoint == 1 && cells == "1" ? points
                                         : fmt::format("({} * ({} - 1) + {})", l.perPoint, points, cells);
}

long lengthOf(const LocalArray::Length &l, const int group[3], const int cells[3],
              const std::vector<long> &sizes) {
  long length = l.extent;
  for (const auto &[size, factor] : l.sizes)
    length += factor * sizes[size];
  if (l.axis < 0)
    return length;
  return l.perPoint * (static_cast<long>(group[l.axis]) * (l.isBlock ? cells[l.axis] : 1) - 1) + length;
}

} // namespace

std::vector<LocalArray> localArrays(const kernel::Scheduled &kernel, const loop::SharedOut &teams) {
  std::vector<LocalArray> all;
  for (const kernel::Scalar element : teams.arrays)
    all.push_back({static_cast<long>(kernel::bytesOf(element)), {{0}, {1}, {2}}});
  const std::vector<kernel::SizeOfBuild> sizes = kernel::sizesOfBuild(kernel);
  for (const kernel::Buffer &b : kernel.buffers)
    if (b.role == kernel::Buffer::Role::Group)
      all.push_back(ofGroup(b, sizes));
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

long localBytes(const std::vector<LocalArray> &all, const int group[3], const int cells[3],
                const std::vector<long> &sizes) {
  long sum = 0;
  for (const LocalArray &a : all) {
    long size = a.bytes;
    for (const LocalArray::Length &l : a.lengths)
      size *= lengthOf(l, group, cells, sizes);
    sum += (size + kAlignment - 1) / kAlignment * kAlignment;
  }
  return sum;
}

} // namespace pbc::emit
