// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a launch knows about its matrices and sizes that makes a kernel's code better, and is fixed when the kernel is built.
//
//   rows next to each other in memory, 1000 x 1000 cells        {unit, narrow, wide}: #define PB_UNIT 1, PB_INDEX int, PB_WIDE 1
//   a column of a matrix, or 2^31 cells and more                {}:             #define PB_INDEX long
//
// Invariant: the form of a launch holds for each of its items.
#pragma once
#include "runtime/device/step_arguments.h"
#include <compare>
#include <string>

namespace pb::device {

struct Launch;

struct KernelForm {
  bool unit = false;   // dimension 0 of every matrix has stride 1
  bool narrow = false; // indices and offsets fit into 32 bits
  bool wide =
      false; // `unit`, and rows of all matrices and the launch's limits begin at multiples of 16 bytes; runs need no limits
  auto operator<=>(const KernelForm &) const = default;
};

/// `launch` has its shape: box, groups, cells of items, and teams.
KernelForm formOf(const DeviceStep &, const DeviceKernel &, const StepArguments &, const Launch &launch);
/// The macros that say so to a kernel (dialect.h).
std::string macrosOf(KernelForm);

} // namespace pb::device
