// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernels of radix_sort.h, in the dialect (dialect.h).
//
//   KernelSource pass = sortKernel(SortKernel::Pass, sortShape(device.about(), 4), ElementKind::F32);
//
// Keys are unsigned numbers whose order is that of the elements: of a floating-point number, whose sign and
// magnitude are separate, all bits are turned round where it is negative, and else the sign; of an integer, the sign
// is. They are sorted by one digit of 8 bits after the other, the lowest first, and each pass keeps the order of
// keys with equal digits. Elements become keys in the first pass and elements again in the last one.
//
// A group has a tile of keys, and each of its items some of them, in registers. Within a warp, key j of lane l is the
// one with the number j * PB_WARP + l, so that loads lie side by side, and the keys j of all lanes come before the
// keys j + 1. Loads of 16 bytes would give a lane neighbours, whose order among those of other lanes could not be
// found out by votes; only the histograms, to which order means nothing, have them.
//
// Without `groupsWait`, a pass is three launches: Count writes how often each tile has each digit, Rows adds these up
// digit by digit, and Pass moves the keys. With it, Pass finds out by itself what stands before its tile: a tile
// publishes its counts as soon as it has them, then adds those of the tiles before it, back to the first one that
// has already published its sum with all before ("decoupled look-back", Merrill and Garland 2016; for each
// digit of a sort, Adinets and Merrill 2022). Tiles are numbered in the order in which groups begin, so a group
// waits only for groups that have begun.
#pragma once
#include "runtime/abi/program.h"
#include "runtime/device/device.h"

namespace pb::device {

enum class SortKernel {
  Copy,       // from any places to any places
  Clear,      // marks
  Histograms, // of all digits at once; adds to marks
  Starts,     // turns histograms into the places at which digits begin
  Count,
  Rows,
  Pass,
};

/// How the kernels are built for a device.
struct SortShape {
  int items = 0; // of a group
  int keys = 0;  // of an item
  bool looksBack = false;
  int leastGroups = 1; // at once on a multiprocessor
  long tile() const { return static_cast<long>(items) * keys; }
};
constexpr int kSortBits = 8, kSortDigits = 1 << kSortBits;

SortShape sortShape(const Description &, int elementBytes);
KernelSource sortKernel(SortKernel, const SortShape &, ElementKind);

} // namespace pb::device
