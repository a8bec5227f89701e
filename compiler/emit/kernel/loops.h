// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops of a kernel as text: a loop tree (loop/build.h) is lowered for one version of a function and printed.
#pragma once
#include "compiler/emit/dialect/c_printer.h"
#include "compiler/kernel/schedule.h"
#include "compiler/loop/lower/lower.h"
#include <map>

namespace pbc::emit {

/// The place of a kernel's loops in the emitted code for the processor.
struct Place {
  std::string function;  // its name
  std::string frameType; // of its first parameter
  /// Dimension 0 of every matrix has stride 1, but of those in Used::anyStride, and all realisations are carried out.
  bool unitStride;
  bool mayShareViews; // an output may be the very same view as an input
  /// With unitStride: by buffer, how many cells dimension 0 has where rows follow each other without a gap.
  std::map<int, long> shortRows = {};
};

struct LoopText {
  std::string types; // type definitions before the function
  std::string loops;
  std::vector<loop::Left> left; // what lowering has left (loop/lower/lower.h)
};

LoopText printLoops(const loop::Nest &, const Place &, Used &);

struct DeviceLoopText {
  std::string arrays; // of the group, which come first in a kernel
  std::string loops;
  std::vector<int> statements; // by line of `loops`: the one for which it is (loop/served_statements.h)
  loop::SharedOut sharedOut;
  loop::NodePtr lowered; // what was printed
};

/// The loops of a kernel for devices.
DeviceLoopText deviceLoops(const loop::Nest &, const Dialect &, Used &);

/// Declarations of the names that the loops use at this place, from the frame `f` and the limits `low` and `high`.
std::string definitions(const std::vector<loop::Matrix> &, const Place &, const Used &);

} // namespace pbc::emit
