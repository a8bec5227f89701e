// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/row_blocks.h"
#include "compiler/kernel/policy/writing.h"
#include "compiler/kernel/waiting_rows.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

/// The kernel with one point for each item; nothing if items wait for each other.
std::optional<Scheduled> withItems(const Scheduled &points) {
  Scheduled start = points;
  start.schedule.target = Target::Device;
  Writing writing(start);
  if (!writing.add(script::step("items", {})) || writing.kernel().schedule.taskOrder != TaskOrder::Any)
    return std::nullopt;
  return writing.kernel();
}

bool goesAlong(const Scheduled &kernel, const std::string &function) {
  const std::vector<TaskDimension> &all = kernel.schedule.taskDimensions;
  return std::any_of(all.begin(), all.end(), [&](const TaskDimension &d) { return d.name == function; });
}

/// Whether the items go along the functions of the step's, and along rows if these are independent of each other.
bool hasFunctions(const Scheduled &kernel, const Scheduled &step, const std::string &row, bool withRows) {
  const std::vector<TaskDimension> &wanted = step.schedule.taskDimensions;
  return kernel.schedule.taskDimensions.size() == wanted.size() + (withRows ? 1 : 0) &&
         goesAlong(kernel, row) == withRows &&
         std::all_of(wanted.begin(), wanted.end(),
                     [&](const TaskDimension &d) { return goesAlong(kernel, d.name); });
}

} // namespace

RowVersions versionsInRows(const Scheduled &lifted, const Items &items) {
  const WaitingRowsOutcome outcome = waitingRows(lifted);
  if (!outcome.rows)
    return {{}, outcome.areRowsRead ? outcome.why : ""};
  const WaitingRows &rows = *outcome.rows;
  const std::string row = lifted.statements.front().dimensions[static_cast<std::size_t>(rows.row)];
  const std::optional<Scheduled> start = withItems(rows.start), finish = withItems(rows.finish);
  if (!start || !finish || !hasFunctions(*start, items.kernel, row, true) ||
      !hasFunctions(*finish, items.kernel, row, false))
    return {{}, fmt::format("its points cannot run at once in all directions but `{}`", row)};
  const auto blocks = std::make_shared<const RowBlocks>(RowBlocks{
      *start, *finish, row, rows.isTriangle, rows.isBackward, rows.low, rows.high, rows.result, rows.sums});
  RowVersions made{{}, "the order of its sums is too complex"};
  for (DeviceVersion &v : deviceVersions(rows.update)) {
    if (v.name != "blocks" && v.name != "buffers")
      continue;
    if (v.exists() && hasFunctions(v.kernel, items.kernel, row, true)) {
      v.rows = blocks;
      made.versions.push_back(std::move(v));
    } else if (v.exists()) {
      made.why =
          fmt::format("the sums of a block cannot run at once in all directions, `{}` among them", row);
    } else {
      made.why = v.why;
    }
  }
  if (!made.versions.empty())
    made.why = "";
  return made;
}

} // namespace pbc::kernel
