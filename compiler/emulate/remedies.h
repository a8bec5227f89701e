// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which steps of a script make the parameter smaller that limits a kernel.
//
//   L2 throughput, on a processor      =>  tile: lines are used again while they are in a nearer cache; order; fuse
//   DRAM latency, on a GPU             =>  items: an item with several points has several loads under way
//
// The steps are names of the registry (kernel/transform/transformation.h); which arguments are best, a search finds (guide.h). The cheapest
// come first. Source: bottleneck-analysis.md 4, table of remedies; those for processors are ours.
#pragma once
#include "compiler/emulate/emulator.h"
#include <span>

namespace pbc::emulate {

struct Remedy {
  const char *step, *why;
};

/// None for parameters that no schedule changes.
std::span<const Remedy> remediesFor(const Parameter &, const Core &);

/// All of the table, for tests.
std::span<const Remedy> allRemedies();

} // namespace pbc::emulate
