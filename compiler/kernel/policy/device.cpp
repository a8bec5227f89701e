// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/device.h"
#include "compiler/kernel/items.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/task_functions.h"
#include "compiler/kernel/transform/run.h"

namespace pbc::kernel {

std::vector<DeviceVersion> deviceVersions(const Scheduled &lifted) {
  Scheduled start = lifted;
  start.schedule.target = Target::Device;
  const script::Script items{script::step("items", {})};
  if (ScriptOutcome made = run(items, start, Mode::Strict); made.failed.empty())
    return {{"global", items, std::move(made.kernel)}};
  if (mapToItems(start).items) // the step has exceeded its budget
    return {};
  return {{"global", {}, withLabels(cutAlong(start, {}))}};
}

} // namespace pbc::kernel
