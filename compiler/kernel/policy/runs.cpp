// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/runs.h"
#include "compiler/kernel/body_length.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/kept_cells.h"
#include "compiler/kernel/policy/asked_bytes.h"
#include "compiler/kernel/run_rows.h"
#include "compiler/kernel/transform/component/strips.h"
#include "compiler/kernel/transform/group_copies.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

constexpr long kRowsForEachKept = 5,
               kMostRows = 64; // of an item: what it loads twice is a fifth of what it loads
// Where groups that share cells load fewer bytes than so many times less, they are faster.
constexpr double kMostOfShared = 1.1;
// Functions that a point calls: with more, what is computed needs the registers, and loads hardly count.
constexpr int kMostCalls = 12;
// Of items that go through planes: what they keep, without the cells of which nothing is read, and what functions need besides; their
// rows and planes; and the group.
constexpr long kMostInPlanes = 96, kMostOfRowsInPlanes = 80, kOfFunctions = 32;
constexpr int kMostRowsInPlanes = 2, kPlanes = 128, kTurnAxis = 2;
constexpr const char *kNoRows = "neighbouring points read no neighbouring cells of a row";
constexpr long kWarp = 32, kRowsOfGroup = 16, kMostGroupBytes = 48L << 10;

/// Whether what an item keeps is, at least of one matrix, in rows that can be loaded 16 bytes at once.
bool readsRows(const Scheduled &kernel) {
  return std::any_of(kernel.buffers.begin(), kernel.buffers.end(), [](const Buffer &b) {
    return b.role == Buffer::Role::Item && b.ofGroup.front().axis == 0 && bytesOf(b.element) >= 4;
  });
}

/// Of matrices of which all rows of an item's points read the same cells, the cells for each point of a row; at most.
long sharedByRows(const Scheduled &kernel) {
  long most = 0;
  if (itemLoops(kernel.schedule.tree).size() > 1)
    for (const Buffer &b : kernel.buffers) {
      const auto moves = [](const GroupDimension &d) { return d.axis == 1; };
      if (b.role != Buffer::Role::Item || std::any_of(b.ofGroup.begin(), b.ofGroup.end(), moves))
        continue;
      long cells = 1;
      for (const GroupDimension &d : b.ofGroup)
        cells *= d.axis == 0 ? d.factor : d.extent;
      const bool isOfRun = std::any_of(b.ofGroup.begin(), b.ofGroup.end(),
                                       [](const GroupDimension &d) { return d.axis == 0; });
      const long run = isOfRun ? 1 : runOf(kernel);
      most = std::max(most, (cells + run - 1) / run);
    }
  return most;
}

/// As many points along x as 16 bytes of the smallest elements hold; and where rows read the same cells, so many rows, of which an item
/// has `atOnce` at a time, that few cells are loaded twice.
std::array<int, 3> cellsOf(const Scheduled &kernel, long atOnce) {
  std::array<int, 3> cells{runOf(kernel), 1, 1};
  const long kept = std::max(rowsKept(kernel), sharedByRows(kernel));
  if (kept == 0)
    return cells;
  long rows = atOnce;
  while (rows < kRowsForEachKept * kept && 2 * rows <= kMostRows)
    rows *= 2;
  cells[1] = static_cast<int>(rows);
  return cells;
}

/// Writes all loops of the bodies out; false if one cannot be: what is indexed by its variable would not be in registers.
bool writeOut(Writing &writing) {
  const std::vector<LoopNode> loops = loopsOf(writing.kernel().schedule.tree);
  return std::all_of(loops.begin(), loops.end(), [&](const LoopNode &loop) {
    return loop.how || !tripCount(writing.kernel(), loop) ||
           writing.add(script::step("unroll", {loop.label}));
  });
}

/// Bytes of the group's memory, for groups of kWarp items along x whose items have kRowsOfGroup rows together.
long bytesOfPlanes(const Scheduled &kernel) {
  long all = 0;
  for (const Buffer &b : kernel.buffers) {
    if (b.role != Buffer::Role::Group)
      continue;
    long bytes = static_cast<long>(bytesOf(b.element)) * b.buffers;
    for (const GroupDimension &d : b.ofGroup) {
      const long points = d.axis == 0 ? kWarp * runOf(kernel) : d.axis == 1 ? kRowsOfGroup : 1;
      bytes *= d.factor * (points - 1) + d.extent + (&d == &b.ofGroup.front() ? b.pad : 0);
    }
    all += bytes;
  }
  return all;
}

/// Keeps what items read of the matrix, through memory of the group, if the step says so; of all numbers of planes that they may read there
/// again, the least with which they need the fewest registers.
/// A sentence if they cannot.
std::string keepInPlanes(Writing &writing, const script::Step &step, long planes) {
  std::optional<Writing> best;
  std::string why;
  long fewest = 0;
  for (long again = 1; again <= planes; ++again) {
    Writing attempt = writing;
    script::Step asked = step;
    if (again > 1)
      with(asked, "planes", script::number(again));
    if (!attempt.add(std::move(asked))) {
      why = attempt.why();
      break;
    }
    if (best && bytesOfPlanes(attempt.kernel()) > kMostGroupBytes)
      break;
    const long registers = registersInPlanes(attempt.kernel(), kMostRowsInPlanes);
    if (!best || registers < fewest) {
      fewest = registers;
      best = std::move(attempt);
    }
  }
  if (!best)
    return why;
  writing = std::move(*best);
  return "";
}

/// Runs of points in planes, which an item goes through; or why there are none, "" where points have no third coordinate.
struct InPlanes {
  std::optional<DeviceVersion> version;
  std::string whyNot;
};

InPlanes inPlanes(Writing writing) {
  if (itemLoops(writing.kernel().schedule.tree).size() != kTurnAxis + 1)
    return {};
  if (!writing.giveEach(as::Item::Each::Turn, "planes"))
    return {{}, writing.why()};
  bool isAny = false; // of the planes that several planes of points read
  for (const std::string &matrix : inputsOf(writing.kernel())) {
    const GroupBox box = groupBox(writing.kernel(), {.matrix = matrix, .isKept = true});
    const auto has = [&](int axis, bool overlaps) {
      return std::any_of(box.dimensions.begin(), box.dimensions.end(), [&](const GroupDimension &d) {
        return d.axis == axis && (!overlaps || d.extent > d.factor);
      });
    };
    script::Step step = script::step("keep", {matrix});
    long planes = 1;
    if (has(kTurnAxis, false) && has(1, true)) { // rows that items of the group share
      with(step, "through", script::name("group"));
      for (const GroupDimension &d : box.dimensions)
        planes = d.axis == kTurnAxis ? d.extent : planes;
    }
    isAny |= has(kTurnAxis, true);
    if (!box.why.empty())
      return {{}, box.why};
    if (std::string why = keepInPlanes(writing, step, planes); !why.empty())
      return {{}, std::move(why)};
  }
  if (!isAny)
    return {{}, "planes of points beside each other read no common cells"};
  if (!readsRows(writing.kernel()))
    return {{}, kNoRows};
  if (const long bytes = bytesOfPlanes(writing.kernel()); bytes > kMostGroupBytes)
    return {
        {},
        fmt::format(
            "a group would need {} bytes of memory for the planes that its items read, and {} is the most",
            bytes, kMostGroupBytes)};
  if (!writeOut(writing))
    return {{}, writing.why()};
  const long functions = functionsCalled(writing.kernel()) > 0 ? kOfFunctions : 0; // take registers, too
  int rows = kMostRowsInPlanes;
  while (rows > 1 && registersInPlanes(writing.kernel(), rows) + functions > kMostOfRowsInPlanes)
    rows /= 2;
  if (const long registers = registersInPlanes(writing.kernel(), rows) + functions; registers > kMostInPlanes)
    return {{},
            fmt::format("its items would need {} registers of 4 bytes for the planes that they keep{}, and "
                        "{} is the most",
                        registers, functions ? " and for functions" : "", kMostInPlanes)};
  DeviceVersion made = writing.take("registers");
  made.cells = {runOf(made.kernel), rows, kPlanes};
  return {std::move(made), ""};
}

} // namespace

DeviceVersion versionInRuns(const Scheduled &start, Writing writing) {
  DeviceVersion none{"registers", {}, start, "", {}};
  for (const LoopNode &loop : loopsOf(start.schedule.tree))
    if (const int d = memberDimension(start, loop.band);
        d >= start.statements.front().freeCount && !tripCount(start, loop)) {
      none.why = fmt::format("the length of its loop over `{}` is not known when compiling", loop.label);
      return none;
    }
  if (const int functions = functionsCalled(start); functions > kMostCalls) {
    none.why = fmt::format("a point calls {} functions, so that loads hardly count", functions);
    return none;
  }
  InPlanes planes = inPlanes(writing);
  if (planes.version)
    return std::move(*planes.version);
  none.whyNoPlanes = planes.whyNot;
  if (!writing.giveEach(as::Item::Each::Run, "run")) {
    none.why = writing.why();
    return none;
  }
  for (const std::string &matrix : inputsOf(start))
    if (!writing.add(script::step("keep", {matrix}))) {
      none.why = writing.why();
      return none;
    }
  if (!readsRows(writing.kernel())) {
    none.why = kNoRows;
    return none;
  }
  if (!writeOut(writing)) {
    none.why = writing.why();
    return none;
  }
  const long atOnce = rowsAtOnce(writing.kernel());
  const std::array<int, 3> cells = cellsOf(writing.kernel(), atOnce);
  const Kept kept = keptOfRows(writing.kernel(), std::min<long>(cells[1], atOnce));
  if (kept.registers > kMostKeptRegisters) {
    none.why =
        fmt::format("its items would keep {} cells, which need {} registers of 4 bytes, and {} is the most",
                    kept.cells, kept.registers, kMostKeptRegisters);
    return none;
  }
  const double asked = askedByItems(writing.kernel(), cells, atOnce),
               shared = askedByGroups(writing.kernel());
  if (asked > kMostOfShared * shared) {
    none.why = fmt::format("a point would load {:.1f} bytes, and {:.1f} where groups share what it reads",
                           asked, shared);
    return none;
  }
  DeviceVersion made = writing.take("registers");
  made.cells = cells;
  made.whyNoPlanes = std::move(planes.whyNot);
  return made;
}

} // namespace pbc::kernel
