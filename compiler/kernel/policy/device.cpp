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
#include "compiler/kernel/transform/group_copies.h"
#include "compiler/kernel/transform/items.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace pbc::kernel {
namespace {

constexpr long kStrip = 16; // steps of a loop whose strips are copied together

script::Step stageStep(const CopyRequest &copy) {
  script::Step step = script::step("stage", {copy.matrix});
  if (!copy.at.empty())
    with(step, "at", script::name(copy.at));
  if (copy.isTransposed)
    with(step, "layout", script::name("transposed"));
  if (copy.pad)
    with(step, "pad", script::number(copy.pad));
  if (copy.parts > 1)
    with(with(step, "parts", script::number(copy.parts)), "gap", script::number(copy.gap));
  if (copy.access)
    with(step, "access", script::number(copy.access));
  return step;
}

/// Whether several items of a group read the same cells of the box.
bool isShared(const GroupBox &box, std::size_t axes) {
  std::set<int> moving;
  bool hasSeveral = false, overlaps = false;
  for (const GroupDimension &d : box.dimensions) {
    hasSeveral |= d.extent > 1;
    overlaps |= d.axis >= 0 && d.extent > d.factor;
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

/// Every input of which an item reads several cells, some of which its neighbours read, too.
DeviceVersion withInputsStaged(Writing writing) {
  bool isAny = false;
  for (const std::string &matrix : inputsOf(writing.kernel())) {
    const GroupBox box = groupBox(writing.kernel(), {.matrix = matrix});
    if (box.why.empty() && isShared(box, itemLoops(writing.kernel().schedule.tree).size()))
      isAny |= writing.add(stageStep(wholeCopy(writing.kernel(), matrix, box))) ||
               writing.add(stageStep({.matrix = matrix})); // as a body that is called expects it
  }
  DeviceVersion made = writing.take("local");
  if (!isAny)
    made.why =
        "no input has a box of cells for one item that is larger than one cell, of the same size for all "
        "items, and shared by some of them";
  return made;
}

struct Strip {
  std::optional<CopyRequest> copy;
  std::string why;      // there is none
  std::size_t ways = 1; // in which reads of the matrix move; known if one was asked for
};

/// What a group copies of a matrix in the steps of a loop: cells that move with the loop, and with the items along one of the axes of
/// their blocks, so that all items along the other axis share them.
Strip stripOf(const Scheduled &kernel, const std::string &matrix, const std::string &at, long access) {
  const GroupBox box = groupBox(kernel, {.matrix = matrix, .at = at, .access = access});
  if (!box.why.empty())
    return {{}, box.why, box.ways};
  // Along axes without blocks, of which groups have few items, more dimensions may move.
  const auto moves = [](const GroupDimension &d) { return d.axis >= 0 && d.isBlock; };
  const auto count = std::count_if(box.dimensions.begin(), box.dimensions.end(), moves);
  const auto moving = std::find_if(box.dimensions.begin(), box.dimensions.end(), moves);
  const bool isStrip = std::any_of(box.dimensions.begin(), box.dimensions.end(),
                                   [](const GroupDimension &d) { return d.axis < 0 && d.extent > 1; });
  if (count != 1 || !isStrip)
    return {{},
            fmt::format("what a step of it reads of `{}` is not shared by neighbouring items", matrix),
            box.ways};
  CopyRequest copy{.matrix = matrix, .at = at, .access = access};
  copy.isTransposed =
      moving != box.dimensions.begin() && !isReadAlongSteps(box, *moving, bytesOfCell(kernel, matrix));
  layRows(copy, box, bytesOfCell(kernel, matrix));
  return {copy, "", box.ways};
}

/// Copies what the steps of a loop read of a matrix: all of it, or if that is no strip, as much as is one. A sentence if there is nothing.
std::string stageStrips(Writing &writing, const std::string &matrix, const std::string &at) {
  const auto stage = [&](const Strip &strip) { return strip.copy && writing.add(stageStep(*strip.copy)); };
  const Strip whole = stripOf(writing.kernel(), matrix, at, 0);
  if (stage(whole))
    return "";
  const std::string why = whole.copy ? writing.why() : whole.why;
  bool isAny = false;
  for (long access = 1;;) { // a read that has a copy is not numbered any more
    const Strip strip = stripOf(writing.kernel(), matrix, at, access);
    const bool isOnly = !isAny && strip.ways < 2; // it was asked for above
    if (isOnly || static_cast<std::size_t>(access) > strip.ways)
      return isAny ? "" : why;
    if (stage(strip))
      isAny = true;
    else
      ++access;
  }
}

/// Loops of unknown length in the bodies, which have no other loop inside.
std::vector<std::string> longLoops(const Scheduled &kernel) {
  std::vector<std::string> all;
  const std::vector<LoopNode> loops = loopsOf(kernel.schedule.tree);
  for (const LoopNode &loop : loops) {
    const int d = memberDimension(kernel, loop.band);
    const Statement &first =
        kernel.statements[static_cast<std::size_t>(statementsBelow(kernel, loop).front())];
    const bool hasInner = std::any_of(loops.begin(), loops.end(), [&](const LoopNode &other) {
      return other.label != loop.label && isAround(loop, other);
    });
    if (!loop.how && d >= first.freeCount && !hasInner && !tripCount(kernel, loop))
      all.push_back(loop.label);
  }
  return all;
}

/// Blocks of points whose items share strips of what the loops of their bodies read. `writing` has given the points to items.
DeviceVersion inBlocks(const Scheduled &start, Writing writing) {
  std::string why; // the first loop has no strips
  bool isAny = false;
  const std::vector<std::string> loops = longLoops(start);
  if (!loops.empty() && !writing.giveEach(as::Item::Each::Block, "block"))
    return {"blocks", {}, start, writing.why()};
  for (const std::string &loop : loops) {
    Writing attempt = writing;
    script::Step tile = script::step("tile", {loop}, {kStrip});
    const std::string strips = freshLabel(writing.kernel().schedule.tree, loop + "t");
    tile.results = {strips, loop};
    bool hasStrips = false;
    std::string whyNot;
    if (attempt.add(std::move(tile))) {
      for (const std::string &matrix : inputsOf(start)) {
        const std::string none = stageStrips(attempt, matrix, strips);
        hasStrips |= none.empty();
        if (whyNot.empty())
          whyNot = none;
      }
    } else {
      whyNot = attempt.why();
    }
    if (!hasStrips) {
      if (why.empty())
        why = fmt::format("its loop over `{}` in strips `{}`: {}", loop, strips, whyNot);
      continue;
    }
    script::Step branches = script::step("separate", {loop});
    with(branches, "at", script::name(strips));
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
