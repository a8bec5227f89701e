// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/runs.h"
#include "compiler/kernel/body_length.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/kept_cells.h"
#include "compiler/kernel/transform/group_copies.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

constexpr unsigned kWidest = 16; // bytes of the widest access
// What an item keeps in registers of 4 bytes, at most.
constexpr long kMostRegisters = 128;
constexpr long kRowsForEachKept = 5,
               kMostRows = 64; // of an item: what it loads twice is a fifth of what it loads
// Functions that a point calls: with more, what is computed needs the registers, and loads hardly count.
constexpr int kMostCalls = 12;
// Of items that go through planes: what they keep, without the cells of which nothing is read, and what functions need besides; their
// rows and planes; and the group.
constexpr long kMostInPlanes = 96, kMostOfRowsInPlanes = 80, kOfFunctions = 32;
constexpr int kMostRowsInPlanes = 2, kPlanes = 128, kTurnAxis = 2;
constexpr long kWarp = 32, kRowsOfGroup = 16, kMostGroupBytes = 48L << 10;

/// Registers of 4 bytes for what an item with so many points keeps.
long registersOf(const Scheduled &kernel, std::array<int, 2> cells) {
  long all = 0;
  for (const Buffer &b : kernel.buffers) {
    if (b.role != Buffer::Role::Item)
      continue;
    long count = (bytesOf(b.element) + 3) / 4;
    for (const GroupDimension &d : b.ofGroup)
      count *= d.axis >= 0 && d.isBlock ? d.factor * (cells[static_cast<std::size_t>(d.axis)] - 1) + d.extent
                                        : d.extent;
    all += count;
  }
  return all;
}

/// Whether what an item keeps is, at least of one matrix, in rows that can be loaded 16 bytes at once.
bool readsRows(const Scheduled &kernel) {
  return std::any_of(kernel.buffers.begin(), kernel.buffers.end(), [](const Buffer &b) {
    return b.role == Buffer::Role::Item && b.ofGroup.front().axis == 0 && bytesOf(b.element) >= 4;
  });
}

/// As many points along x as 16 bytes of the smallest elements hold.
int runOf(const Scheduled &kernel) {
  unsigned bytes = kWidest;
  for (const Buffer &b : kernel.buffers)
    if (isMatrix(b) && b.rank > 0)
      bytes = std::min(bytes, std::max(4U, static_cast<unsigned>(bytesOf(b.element))));
  return static_cast<int>(kWidest / bytes);
}

/// As many points along x as 16 bytes of the smallest elements hold; and where rows read the same cells, so many rows that few cells are
/// loaded twice. An item has rowsAtOnce() of them at a time, and what these read must fit into registers.
std::array<int, 3> cellsOf(const Scheduled &kernel) {
  std::array<int, 3> cells{runOf(kernel), 1, 1};
  const long kept = rowsKept(kernel), atOnce = rowsAtOnce(kernel);
  const bool isOneForAll = itemLoops(kernel.schedule.tree).size() > 1 &&
                           std::any_of(kernel.buffers.begin(), kernel.buffers.end(), [](const Buffer &b) {
                             return b.role == Buffer::Role::Item &&
                                    std::none_of(b.ofGroup.begin(), b.ofGroup.end(),
                                                 [](const GroupDimension &d) { return d.axis == 1; });
                           });
  if ((kept == 0 && !isOneForAll) ||
      registersOf(kernel, {cells[0], static_cast<int>(atOnce)}) > kMostRegisters)
    return cells;
  long rows = atOnce;
  while (rows < kRowsForEachKept * std::max(kept, isOneForAll ? 1L : 0L) && 2 * rows <= kMostRows)
    rows *= 2;
  cells[1] = static_cast<int>(rows);
  return cells;
}

/// Writes all loops of the bodies out.
void writeOut(Writing &writing) {
  for (const LoopNode &loop : loopsOf(writing.kernel().schedule.tree))
    if (!loop.how && tripCount(writing.kernel(), loop))
      writing.add(script::step("unroll", {loop.label}));
}

/// Registers of 4 bytes for what an item with so many rows of points keeps while it goes through planes.
long registersInPlanes(const Scheduled &kernel, int rows) {
  long all = 0;
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b)
    if (const Buffer &memory = kernel.buffers[b]; memory.role == Buffer::Role::Item)
      all +=
          keptCells(kernel, static_cast<int>(b), {runOf(kernel), rows}) * ((bytesOf(memory.element) + 3) / 4);
  return all;
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

/// Runs of points in planes, which an item goes through; nothing if planes read no common cells, or too many of them.
std::optional<DeviceVersion> inPlanes(Writing writing) {
  if (itemLoops(writing.kernel().schedule.tree).size() != kTurnAxis + 1 ||
      !writing.giveEach(as::Item::Each::Turn, "planes"))
    return {};
  bool isAny = false; // of the planes that several planes of points read
  for (const std::string &matrix : inputsOf(writing.kernel())) {
    const GroupBox box = groupBox(writing.kernel(), {.matrix = matrix, .isKept = true});
    const auto has = [&](int axis, bool overlaps) {
      return std::any_of(box.dimensions.begin(), box.dimensions.end(), [&](const GroupDimension &d) {
        return d.axis == axis && (!overlaps || d.extent > d.factor);
      });
    };
    script::Step step = script::step("keep", {matrix});
    if (has(kTurnAxis, false) && has(1, true)) // rows that items of the group share
      with(step, "through", script::name("group"));
    isAny |= has(kTurnAxis, true);
    if (!box.why.empty() || !writing.add(std::move(step)))
      return {};
  }
  if (!isAny || !readsRows(writing.kernel()) || bytesOfPlanes(writing.kernel()) > kMostGroupBytes)
    return {};
  writeOut(writing);
  const long functions = functionsCalled(writing.kernel()) > 0 ? kOfFunctions : 0; // take registers, too
  int rows = kMostRowsInPlanes;
  while (rows > 1 && registersInPlanes(writing.kernel(), rows) + functions > kMostOfRowsInPlanes)
    rows /= 2;
  if (registersInPlanes(writing.kernel(), rows) + functions > kMostInPlanes)
    return {};
  DeviceVersion made = writing.take("registers");
  made.cells = {runOf(made.kernel), rows, kPlanes};
  return made;
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
  if (std::optional<DeviceVersion> made = inPlanes(writing))
    return std::move(*made);
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
    none.why = "neighbouring points read no neighbouring cells of a row";
    return none;
  }
  writeOut(writing);
  const std::array<int, 3> cells = cellsOf(writing.kernel());
  const int atOnce = std::min(cells[1], static_cast<int>(rowsAtOnce(writing.kernel())));
  if (const long registers = registersOf(writing.kernel(), {cells[0], atOnce}); registers > kMostRegisters) {
    none.why = fmt::format("its items would keep {} cells of 4 bytes in registers", registers);
    return none;
  }
  DeviceVersion made = writing.take("registers");
  made.cells = cells;
  return made;
}

std::vector<std::string> inputsOf(const Scheduled &kernel) {
  std::vector<std::string> all;
  for (const Buffer &b : kernel.buffers)
    if (b.role == Buffer::Role::Input && b.rank > 0)
      all.push_back(b.name);
  return all;
}

} // namespace pbc::kernel
