// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/on_device.h"
#include "compiler/kernel/policy/row_blocks.h"
#include <algorithm>
#include <functional>
#include <isl/aff.h>

namespace pbc::kernel {
namespace {

// Takes a few milliseconds; the project's own programs need far less.
constexpr unsigned long kBudget = 300'000;
constexpr unsigned long kMapBudget = 1'000'000; // for the scripts of the versions
constexpr unsigned long kRowsBudget = 30'000'000;
constexpr int kMostCases = 8; // of a bound that is computed at each launch
/// False if the budget is exceeded, or isl finds no formula.
bool within(unsigned long budget, const poly::Context &context, const std::function<void()> &f) {
  try {
    return context.withBudget(budget, f);
  } catch (const isl::exception &) {
    return false;
  }
}

/// Finds the last function that both have, if their parts can run in any order. x, the dimension along
/// memory, is only used if there is no other.
void findShared(OnDevice &device, const Scheduled &scheduled) {
  const Scheduled &items = device.items->kernel;
  if (items.schedule.taskOrder != TaskOrder::Any || scheduled.schedule.taskOrder != TaskOrder::Any)
    return;
  for (std::size_t k = 0; k < items.schedule.taskDimensions.size(); ++k)
    for (std::size_t t = 0; t < scheduled.schedule.taskDimensions.size(); ++t)
      if (items.schedule.taskDimensions[k].name == scheduled.schedule.taskDimensions[t].name) {
        device.shared = static_cast<int>(k);
        device.sharedInTasks = static_cast<int>(t);
      }
}

/// Finds the boxes of a part of the points or, if these are too expensive, of all points: then the work
/// cannot be shared. Rounds are always launched for all points, and parts along skewed functions in three
/// dimensions would take half a minute to compute. Returns "", or why it is impossible.
std::string findTouched(OnDevice &device, const Items &items, const Scheduled &lifted, bool &isDivisible,
                        const poly::Context &context) {
  for (const Buffer &b : items.kernel.buffers) {
    if (b.role == Buffer::Role::Local)
      continue;
    Touched touched;
    const auto find = [&](const Scheduled &kernel) {
      return within(kBudget, context, [&] { touched = touchedCells(kernel, b); }) &&
             mostCases(touched) <= kMostCases;
    };
    if (items.inRounds() || !find(items.kernel)) {
      isDivisible = false;
      if (!find(lifted))
        return "which cells of " + b.name + " its points touch is too complex";
    }
    device.touched.push_back(std::move(touched));
  }
  return "";
}

/// Has a budget of its own, because other versions exist without tiles.
void findTiles(OnDevice &device, const Scheduled &lifted, const poly::Context &context) {
  if (!device.items || device.items->kernel.schedule.taskDimensions.empty())
    return;
  DeviceVersion tiles;
  if (!within(kMapBudget, context, [&] { tiles = versionInTiles(lifted); }))
    tiles = {"tiles", {}, lifted, "which points its tiles have is too complex"};
  device.versions.push_back(std::move(tiles));
}

/// The same for blocks of rows that wait for each other, which take the place of the blocks of points that there are none of.
void findRows(OnDevice &device, const Scheduled &lifted, const poly::Context &context) {
  const DeviceVersion *blocks = device.version("blocks");
  if (!device.items || device.items->inRounds() || device.items->kernel.schedule.taskDimensions.empty() ||
      blocks)
    return;
  RowVersions made;
  if (!within(kRowsBudget, context, [&] { made = versionsInRows(lifted, *device.items); }))
    made = {{}, "its analysis takes too long"};
  device.whyNoRows = made.why;
  if (made.versions.empty())
    return;
  std::erase_if(device.versions,
                [](const DeviceVersion &v) { return v.name == "blocks" || v.name == "buffers"; });
  device.versions.insert(device.versions.end(), made.versions.begin(), made.versions.end());
}

/// The same for several rounds in one launch.
void findSteps(OnDevice &device, const Scheduled &lifted, const poly::Context &context) {
  if (!device.items || !device.items->inRounds())
    return;
  DeviceVersion steps;
  if (!within(kMapBudget, context, [&] { steps = versionInSteps(lifted); }))
    steps = {"steps", {}, lifted, "which points write what others read is too complex", {}};
  device.versions.push_back(std::move(steps));
}

/// Also has a budget of its own. One item alone would do all the work, so that is not a version.
void findCooperation(OnDevice &device, const Scheduled &lifted, const poly::Context &context) {
  if (!device.items)
    return;
  CooperationOutcome outcome;
  if (!within(kBudget, context, [&] { outcome = cooperate(*device.items); }))
    outcome = {std::nullopt, "what its statements read of each other is too complex"};
  DeviceVersion byTeams;
  if (outcome.cooperation &&
      !within(kMapBudget, context, [&] { byTeams = versionByTeams(lifted, *outcome.cooperation); }))
    byTeams.why = "what its statements read of each other is too complex";
  if (outcome.cooperation && !byTeams.exists())
    outcome = {std::nullopt, byTeams.why};
  if (device.why.empty() || outcome.cooperation) {
    device.why = "";
    device.cooperation = std::move(outcome.cooperation);
    if (device.cooperation)
      device.versions.push_back(std::move(byTeams));
    device.whyNoCooperation = std::move(outcome.why);
    return;
  }
  const std::string why = device.why + (outcome.why == kNoLongLoop ? "" : "; " + outcome.why);
  device = {};
  device.why = why;
}

bool isLifted(const Scheduled &kernel) {
  return !kernel.statements.empty() && std::none_of(kernel.statements.begin(), kernel.statements.end(),
                                                    [](const Statement &s) { return s.isOpaque; });
}

} // namespace

const DeviceVersion *OnDevice::version(std::string_view name) const {
  const auto at = std::find_if(versions.begin(), versions.end(),
                               [&](const DeviceVersion &v) { return v.name == name && v.exists(); });
  return at == versions.end() ? nullptr : &*at;
}

OnDevice *LaterOnDevice::get() const {
  if (shared_ && !shared_->found) {
    shared_->found = shared_->find();
    shared_->find = nullptr;
  }
  return shared_ ? &*shared_->found : nullptr;
}

OnDevice onDevice(const Scheduled &lifted, const Scheduled &scheduled, const poly::Context &context) {
  OnDevice device;
  ItemsOutcome items;
  const auto map = [&] {
    if (const Obstacle obstacle = whyNoItems(lifted); !obstacle.why.empty()) {
      items = {std::nullopt, obstacle.why, obstacle.at};
      return;
    }
    device.versions = deviceVersions(lifted);
    if (device.versions.empty())
      return;
    items = mapToItems(lifted);
    if (!items.items && isLifted(lifted))
      items.items = asOneItem(lifted);
  };
  if (!within(kMapBudget, context, map) || (!items.items && items.why.empty())) {
    device.why = "the order of its points is too complex";
    return device;
  }
  if (!items.items) {
    device.why = items.why, device.whyAt = items.at;
    return device;
  }
  bool isDivisible = true;
  device.why = findTouched(device, *items.items, lifted, isDivisible, context);
  if (!device.why.empty())
    return device;
  device.why = items.why; // if there is one item: of use for groups only
  device.items = std::move(items.items);
  if (!within(kBudget, context, [&] { device.parts = partsOf(*device.items); }))
    device.parts.clear(); // one launch does
  if (isDivisible)
    findShared(device, scheduled);
  findRows(device, lifted, context);
  findTiles(device, lifted, context);
  findSteps(device, lifted, context);
  findCooperation(device, lifted, context);
  return device;
}

} // namespace pbc::kernel
