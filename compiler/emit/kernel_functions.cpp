// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel_functions.h"
#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/emit/kernel/nest.h"
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace pbc::emit {

namespace {

/// A row of so many cells is a vector at most, so that LLVM takes it apart in registers.
constexpr long kLongestShortRow = 16;

/// The number that an extent is; 0 if it is none.
long constantExtentOf(const sema::Affine &extent) {
  long cells = 0;
  const std::string &text = extent.isl;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cells);
  return error == std::errc() && end == text.data() + text.size() ? cells : 0;
}

std::map<int, long> shortRowsOf(const sema::Transform &transform, const kernel::Kernel &kernel) {
  std::map<int, long> rows;
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    const kernel::Buffer &buffer = kernel.buffers[b];
    if (buffer.matrix < 0 || buffer.rank < 2)
      continue;
    const long cells =
        constantExtentOf(transform.matrices[static_cast<std::size_t>(buffer.matrix)].extents.front());
    if (cells > 1 && cells <= kLongestShortRow)
      rows.emplace(static_cast<int>(b), cells);
  }
  return rows;
}

} // namespace

const std::string &KernelFunctions::name(const kernel::Scheduled &kernel, bool mayShareViews) {
  const std::pair key(kernel.schedule.tree.get(), mayShareViews);
  const auto at = nameOfSchedule_.find(key);
  return at != nameOfSchedule_.end()
             ? at->second
             : nameOfSchedule_.emplace(key, nameFor(kernel, mayShareViews)).first->second;
}

std::string KernelFunctions::nameFor(const kernel::Scheduled &kernel, bool mayShareViews) {
  KernelNest made = kernelNest(kernel);
  made.shortRows = shortRowsOf(transform_, kernel);
  const auto called = [&](const std::string &name) {
    return kernelText(made, name, frameType_, mayShareViews).text;
  };
  const auto [at, isNew] =
      nameOfText_.emplace(called("kernel"), fmt::format("pb_kernel_{}", nameOfText_.size()));
  if (isNew)
    text_ += called(at->second) + "\n";
  return at->second;
}

} // namespace pbc::emit
