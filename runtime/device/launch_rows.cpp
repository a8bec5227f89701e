// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/launch_rows.h"
#include "runtime/device/row_groups.h"
#include <algorithm>

namespace pb::device {
namespace {

using Command = RowsLaunch::Command;

/// The points of a part: those of the launch, and these rows.
Box boxOf(const DeviceRowsPart &part, const Frame *frame, const Box &launch, long low, long high) {
  Box box;
  part.box(frame, &box);
  for (int d = 0; d < box.rank; ++d) {
    const int along = part.along[d];
    box.low[d] = along < 0 ? std::max(box.low[d], low) : launch.low[along];
    box.high[d] = along < 0 ? std::min(box.high[d], high) : launch.high[along];
  }
  return box;
}

RowsLaunch::Part partOf(const DeviceRowsPart &part, const Frame *frame, const int group[3], int axes) {
  RowsLaunch::Part made;
  std::vector<DeviceArguments::Value> values(static_cast<std::size_t>(part.valueCount));
  part.values(frame, values.data());
  for (const DeviceArguments::Value &v : values)
    made.values.push_back(v.integer);
  std::copy_n(group, std::min(axes, 3), made.group);
  return made;
}

long floorOf(long value, long unit) { return value - ((value % unit) + unit) % unit; }

} // namespace

void findRows(Launch &launch, const DeviceRows &how, const Frame *frame, long ofBlock) {
  auto rows = std::make_shared<RowsLaunch>();
  long all[2];
  how.rows(frame, all);
  const auto add = [&](Command::What what, const DeviceRowsPart &part, long low, long high, long from,
                       long to) {
    const Box box = boxOf(part, frame, launch.box, from, to);
    if (!pb::isEmpty(box))
      rows->commands.push_back({what, box, low, high});
    return box.rank;
  };
  const int axes = add(Command::What::Start, how.start, all[0], all[1], all[0], all[1]);
  const auto block = [&](long low, long high) {
    add(Command::What::Finish, how.finish, low, high, low, high);
    if (how.isBackward)
      add(Command::What::Update, how.update, low, high, all[0], low);
    else
      add(Command::What::Update, how.update, low, high, high, all[1]);
  };
  if (how.isBackward)
    for (long high = all[1]; high > all[0];) {
      const long low = std::max(all[0], floorOf(high - 1, ofBlock));
      block(low, high);
      high = low;
    }
  else
    for (long low = all[0]; low < all[1];) {
      const long high = std::min(all[1], floorOf(low, ofBlock) + ofBlock);
      block(low, high);
      low = high;
    }
  rows->start = partOf(how.start, frame, kGroupOfStart, axes);
  rows->finish = partOf(how.finish, frame, kGroupOfFinish, launch.box.rank);
  rows->finish.rows[0] = static_cast<int>(ofBlock);
  launch.rows = std::move(rows);
}

Job addRows(RowsMemory &made, Launch &launch, const DeviceKernel &kernel, const DeviceStep &step,
            KernelShelf &shelf, KernelForm form) {
  form.wide = false;
  const DeviceRows &how = *kernel.rows;
  RowsLaunch &rows = *launch.rows;
  const auto formOfPart = [&](const DeviceRowsPart &part, const RowsLaunch::Part &one) {
    KernelForm own = form;
    own.narrow &=
        std::all_of(one.values.begin(), one.values.end(),
                    [&](long v) { return v >= -part.kernel->narrow && v <= part.kernel->narrow; }) &&
        std::all_of(rows.commands.begin(), rows.commands.end(),
                    [&](const Command &c) { return c.high <= part.kernel->narrow; });
    return own;
  };
  KernelShelf::Awaiter start =
      shelf.get(*how.start.kernel, rows.start.group, rows.start.rows, formOfPart(how.start, rows.start));
  KernelShelf::Awaiter finish =
      shelf.get(*how.finish.kernel, rows.finish.group, rows.finish.rows, formOfPart(how.finish, rows.finish));
  const KernelShelf::Built builtStart = co_await start, builtFinish = co_await finish;
  if (!builtStart.kernel || !builtFinish.kernel) {
    made.why = !builtStart.kernel ? builtStart.why : builtFinish.why;
    co_return;
  }
  rows.start.kernel = builtStart.kernel;
  rows.finish.kernel = builtFinish.kernel;
  const DeviceMatrix &result = step.matrices[how.result];
  made.memory.emplace_back(launch.matrices[static_cast<std::size_t>(how.result)].place.matrix.extent,
                           result.rank, how.elementBytes);
  LaunchMatrix sums = made.memory.back().argument();
  sums.isCopy = false; // the kernels need no extents
  sums.writes = sums.covers = true;
  sums.reads = false; // its cells are those of this launch
  launch.matrices.push_back(sums);
}

} // namespace pb::device
