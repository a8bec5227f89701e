// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/schedule_space.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::kernel {
namespace {

using Values = std::vector<std::string>;

constexpr std::size_t kMostOrders = 6; // of three loops

Values orders(const Values &names) {
  Values all, sorted = names;
  std::sort(sorted.begin(), sorted.end());
  do
    all.push_back(fmt::format("{}", fmt::join(sorted, ", ")));
  while (all.size() < kMostOrders && std::next_permutation(sorted.begin(), sorted.end()));
  return all;
}

/// Squares, and strips that are long where cells are contiguous.
Values tiles(std::size_t loops) {
  Values all;
  const auto add = [&](const std::vector<long> &sizes) {
    all.push_back(fmt::format("{}", fmt::join(sizes, " x ")));
  };
  for (const long size : {8L, 16L, 32L, 64L})
    add(std::vector(loops, size));
  for (const long height : {8L, 32L})
    for (const long length : {128L, 512L}) {
      std::vector sizes(loops, height);
      sizes.back() = length;
      add(sizes);
    }
  if (loops < 3)
    return all;
  for (const long height : {8L, 32L}) { // the outermost and the innermost loop are not cut
    std::vector sizes(loops, height);
    sizes.front() = sizes.back() = 0;
    add(sizes);
  }
  return all;
}

Values candidates(const ScheduleOption &option, const Scheduled &kernel, const std::string &order,
                  const std::string &tasks) {
  const std::string name = option.name;
  Values all = option.words;
  for (const long n : option.worthTrying)
    all.push_back(std::to_string(n));
  const Values loops = parts(order, ',');
  if (name == "order")
    return orders(loops);
  if (name == "tasks")
    return parts(tasks, ',');
  if (name == "tile") {
    all = tiles(loops.size());
    all.insert(all.begin(), "off");
  }
  if (name == "vector") {
    const Statement &s = kernel.statements.front();
    all.assign(s.dimensions.begin(), s.dimensions.begin() + s.freeCount);
    all.insert(all.end(), {"auto", "off"});
  }
  return all;
}

} // namespace

std::vector<OptionSpace> spaceOf(Scheduler &scheduler, const Asked &asked) {
  const Planned now = scheduler.schedule(asked);
  std::vector<OptionSpace> all;
  for (const ScheduleOption &option : scheduleOptions()) {
    OptionSpace space{option.name, now.report.setting(option.name), {}};
    if (space.inUse.empty())
      continue;
    for (const std::string &value : candidates(option, now.kernel, now.report.setting("order"),
                                               scheduler.schedule().report.setting("tasks"))) {
      Asked changed = asked;
      changed[option.name] = value;
      if (value == space.inUse)
        continue;
      if (const Report other = scheduler.schedule(changed).report;
          other.refused.empty() && other.setting(option.name) == value)
        space.others.push_back(value);
    }
    if (!space.others.empty())
      all.push_back(std::move(space));
  }
  return all;
}

} // namespace pbc::kernel
