// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/device.h"
#include "compiler/kernel/cooperate.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/items.h"
#include "compiler/kernel/policy/group_rows.h"
#include "compiler/kernel/policy/runs.h"
#include "compiler/kernel/policy/writing.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/task_functions.h"
#include "compiler/kernel/transform/component/strips.h"
#include "compiler/kernel/transform/group_copies.h"
#include "compiler/kernel/transform/items.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace pbc::kernel {
namespace {

constexpr long kStrip = 16; // steps of a loop whose strips are copied together

/// Whether several items of a group read the same cells of the box.
bool isShared(const GroupBox &box, std::size_t axes) {
  std::set<int> moving;
  bool hasSeveral = false, overlaps = false;
  for (const GroupDimension &d : box.dimensions) {
    hasSeveral |= d.isSeveral();
    overlaps |= d.overlaps();
    if (d.axis >= 0)
      moving.insert(d.axis);
  }
  return overlaps || (hasSeveral && moving.size() < axes);
}

long bytesOfCell(const Scheduled &kernel, const std::string &matrix) {
  return static_cast<long>(
      bytesOf(kernel.buffers[static_cast<std::size_t>(bufferIndex(kernel, matrix))].element));
}

/// The copy in which what neighbouring items read lies next to each other.
CopyRequest wholeCopy(const Scheduled &kernel, const std::string &matrix, const GroupBox &box) {
  CopyRequest copy{.matrix = matrix};
  copy.isTransposed = box.dimensions.size() > 1 && box.dimensions.back().axis == 0;
  layRows(copy, box, bytesOfCell(kernel, matrix));
  return copy;
}

/// The sizes of windows: on them depends how many cells an item reads along dimensions along which its neighbours read some of the same.
/// A size of another kind, as that of whole rows, is too large for memory of a group.
std::set<std::string> sizesOfWindows(const std::map<std::string, GroupBox> &boxes) {
  std::set<std::string> all;
  for (const auto &[matrix, box] : boxes)
    for (const GroupDimension &d : box.dimensions)
      for (const SizeTerm &term : d.sizes)
        if (d.overlaps())
          all.insert(term.size);
  return all;
}

bool hasOnly(const GroupBox &box, const std::set<std::string> &sizes) {
  return std::all_of(box.dimensions.begin(), box.dimensions.end(), [&](const GroupDimension &d) {
    return std::all_of(d.sizes.begin(), d.sizes.end(),
                       [&](const SizeTerm &term) { return sizes.contains(term.size); });
  });
}

/// Every input of which an item reads several cells, some of which its neighbours read, too.
DeviceVersion withInputsStaged(Writing writing) {
  bool isAny = false;
  const std::vector<std::string> inputs = inputsOf(writing.kernel());
  std::map<std::string, GroupBox> boxes;
  for (const std::string &matrix : inputs)
    boxes.emplace(matrix, groupBox(writing.kernel(), {.matrix = matrix}));
  const std::set<std::string> windows = sizesOfWindows(boxes);
  std::string why; // the first input with several cells for an item is not copied
  for (const std::string &matrix : inputs) {
    const GroupBox &box = boxes.at(matrix);
    std::string here = box.why;
    if (here.empty() && !isShared(box, itemLoops(writing.kernel().schedule.tree).size()))
      continue;
    if (here.empty() && !hasOnly(box, windows))
      here = "how many cells an item reads depends on sizes that are not those of a window";
    if (here.empty() && (writing.add(stageStep(wholeCopy(writing.kernel(), matrix, box))) ||
                         writing.add(stageStep({.matrix = matrix})))) // as a body that is called expects it
      isAny = true;
    else if (why.empty())
      why = fmt::format("`{}`: {}", matrix, here.empty() ? writing.why() : here);
  }
  DeviceVersion made = writing.take("local");
  if (!isAny)
    made.why = why.empty() ? kNothingShared : why;
  return made;
}

/// Blocks of points whose items share strips of what the loops of their bodies read. `writing` has given the points to items.
DeviceVersion inBlocks(const Scheduled &start, Writing writing) {
  std::string why; // the first loop has no strips
  bool isAny = false;
  const std::vector<std::string> loops = longLoops(start);
  if (!loops.empty() && !writing.giveEach(as::Item::Each::Block, "block"))
    return {"blocks", {}, start, writing.why()};
  for (const std::string &loop : loops) {
    StripsOutcome strips = withStrips(writing.kernel(), loop, kStrip);
    if (!strips.kernel) {
      if (why.empty())
        why = fmt::format("its loop over `{}` in strips `{}`: {}", loop, strips.strips, strips.why);
      continue;
    }
    Writing attempt = writing;
    attempt.follow(std::move(strips.steps), std::move(*strips.kernel));
    script::Step branches = script::step("separate", {loop});
    with(branches, "at", script::name(strips.strips));
    script::Step loopsApart = branches;
    if (attempt.add(with(loopsApart, "apart", script::name("loops"))) || attempt.add(branches))
      attempt.add(script::step("unroll", {loop}));
    writing = std::move(attempt);
    isAny = true;
  }
  DeviceVersion made = writing.take("blocks");
  if (!isAny)
    made.why = loops.empty() ? kNoLongLoop : why;
  return made;
}

/// The same with two buffers for each strip. That changes no loop and no dependence, so that no step is run again.
DeviceVersion withTwoBuffers(DeviceVersion blocks) {
  blocks.name = "buffers";
  if (!blocks.exists())
    return blocks;
  blocks.loopsOf = "blocks";
  for (Buffer &b : blocks.kernel.buffers)
    if (b.role == Buffer::Role::Group)
      b.buffers = 2;
  for (script::Step &step : blocks.script)
    if (step.transformation == "stage")
      with(step, "buffers", script::number(2));
  return blocks;
}

} // namespace

std::vector<DeviceVersion> deviceVersions(const Scheduled &lifted) {
  Scheduled start = lifted;
  start.schedule.target = Target::Device;
  Writing global(start);
  if (global.add(script::step("items", {}))) {
    DeviceVersion blocks = inBlocks(start, global), buffers = withTwoBuffers(blocks);
    return {Writing(global).take("global"), withInputsStaged(global), std::move(blocks), std::move(buffers),
            versionInRuns(start, global)};
  }
  if (mapToItems(start).items) // the step has exceeded its budget
    return {};
  return {{"global", {}, withLabels(cutAlong(start, {})), "", {}}};
}

DeviceVersion versionByTeams(const Scheduled &lifted, const Cooperation &how) {
  Scheduled start = lifted;
  start.schedule.target = Target::Device;
  Writing writing(start);
  script::Step step = script::step("team", {});
  const bool isDone = writing.add(how.isAlongSteps ? step : with(step, "neighbours", script::name("cells")));
  const std::string why = writing.why();
  DeviceVersion made = writing.take("group");
  made.why = isDone ? "" : why;
  return made;
}

DeviceVersion versionInSteps(const Scheduled &lifted) {
  Scheduled start = lifted;
  start.schedule.target = Target::Device;
  Writing writing(start);
  const bool isDone = writing.add(script::step("steps", {}));
  const std::string why = writing.why();
  DeviceVersion made = writing.take("steps");
  made.why = isDone ? "" : why;
  return made;
}

DeviceVersion versionInTiles(const Scheduled &lifted) {
  Scheduled start = lifted;
  start.schedule.target = Target::Device;
  Writing writing(start);
  const bool isDone = writing.add(script::step("rounds", {}));
  const std::string why = writing.why();
  DeviceVersion made = writing.take("tiles");
  made.why = isDone ? "" : why;
  return made;
}

} // namespace pbc::kernel
