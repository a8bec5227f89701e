// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A scheduled kernel alone as one launch on a device: what is built, how many items, and which arguments.
//
//   deviceLeaf(lifted, arrays, {items(; each = block) ..., groups of 16 x 8, 4 x 4 points})
//   => source "PB_KERNEL(pb_leaf)(...)", 256 x 128 items, arguments A, 0, 1, 1024, B, ..., n, low0, high0, low1, high1
//
// Only schedules that are one launch, without scratch memory, are leaves: no rounds, teams, time tiles or copies of whole matrices. Matrices
// have contiguous rows. Invariant: the launch computes what the program's own one would, for the same cells.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/script/script.h"
#include "compiler/search/measure/leaf_program.h"
#include "runtime/device/device.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace pbc::search {

/// A schedule for devices, and the sizes that its launch has along x, y and z.
struct DeviceProgram {
  script::Script steps;
  std::array<int, 3> group = {1, 1, 1}; // items
  std::array<int, 3> cells = {1, 1, 1}; // points of an item, where items have several
};

/// "items(; each = block); ...; groups of 16 x 8, 4 x 4 points"
std::string lineOf(const DeviceProgram &);

/// A matrix, by its number among the arrays, or a number.
struct LeafArgument {
  int array = -1;
  bool isWritten = false;
  long value = 0;
};

struct DeviceLeaf {
  pb::device::KernelSource source;
  pb::device::Grid grid;
  std::vector<LeafArgument> arguments;
};

struct DeviceLeafOutcome {
  std::optional<DeviceLeaf> leaf;
  std::string why; // if there is none: a sentence
};

/// `localBytes`: memory that a group can have without asking for it.
DeviceLeafOutcome deviceLeaf(const kernel::Scheduled &lifted, const Arrays &, const DeviceProgram &,
                             long localBytes);

} // namespace pbc::search
