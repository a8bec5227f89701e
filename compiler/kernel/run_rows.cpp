// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/run_rows.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/kept_cells.h"
#include <algorithm>
#include <bit>

namespace pbc::kernel {
namespace {

constexpr unsigned kWidest = 16; // bytes of the widest access
constexpr int kRowAxis = 1;
constexpr long kMostBox = 8 * kMostKeptRegisters; // of larger boxes, what is read is not counted

bool isOfRows(const GroupDimension &d) { return d.axis == kRowAxis && d.isBlock; }

long registersOf(const Buffer &memory) { return (bytesOf(memory.element) + 3) / 4; }

Kept boxesOf(const Scheduled &kernel, int run, long rows) {
  Kept all;
  for (const Buffer &b : kernel.buffers) {
    if (b.role != Buffer::Role::Item)
      continue;
    long cells = 1;
    for (const GroupDimension &d : b.ofGroup) {
      const long points = d.axis < 0 || !d.isBlock ? 1 : d.axis == kRowAxis ? rows : run;
      cells *= d.factor * (points - 1) + d.extent;
    }
    all.cells += cells;
    all.registers += cells * registersOf(b);
  }
  return all;
}

/// Whether a turn has all cells that it reads of the turn before, so that turns of few rows load no cell twice.
bool keepsAllRows(const Kernel &kernel) {
  return std::all_of(kernel.buffers.begin(), kernel.buffers.end(), [](const Buffer &b) {
    return b.role != Buffer::Role::Item ||
           std::all_of(b.ofGroup.begin(), b.ofGroup.end(), [](const GroupDimension &d) {
             return !isOfRows(d) || d.extent <= d.factor || (d.factor == 1 && d.dimension > 0);
           });
  });
}

} // namespace

int runOf(const Kernel &kernel) {
  unsigned bytes = kWidest;
  for (const Buffer &b : kernel.buffers)
    if (isMatrix(b) && b.rank > 0)
      bytes = std::min(bytes, std::max(4U, static_cast<unsigned>(bytesOf(b.element))));
  return static_cast<int>(kWidest / bytes);
}

long rowsKept(const Kernel &kernel) {
  long kept = 0;
  for (const Buffer &b : kernel.buffers)
    for (const GroupDimension &d : b.ofGroup)
      if (b.role == Buffer::Role::Item && isOfRows(d))
        kept = std::max(kept, d.extent - d.factor);
  return kept;
}

Kept keptOfRows(const Scheduled &kernel, long rows) {
  const int run = runOf(kernel);
  const Kept boxes = boxesOf(kernel, run, rows);
  if (boxes.registers <= kMostKeptRegisters || boxes.registers > kMostBox)
    return boxes;
  Kept read;
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b)
    if (const Buffer &memory = kernel.buffers[b]; memory.role == Buffer::Role::Item) {
      const long cells = keptCells(kernel, static_cast<int>(b), {run, static_cast<int>(rows)}, Turns::OfRows);
      read.cells += cells;
      read.registers += cells * registersOf(memory);
    }
  return read;
}

long rowsAtOnce(const Scheduled &kernel) {
  constexpr long kLeast = 4;
  const long most = std::max(kLeast, (rowsKept(kernel) + kLeast - 1) / kLeast * kLeast);
  if (!keepsAllRows(kernel))
    return most;
  long rows = most;
  while (rows > 1 && keptOfRows(kernel, rows).registers > kMostKeptRegisters)
    rows = static_cast<long>(std::bit_floor(static_cast<unsigned long>(rows - 1)));
  return rows;
}

} // namespace pbc::kernel
