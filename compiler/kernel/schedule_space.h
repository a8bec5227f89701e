// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The possible schedules of a kernel: its options with the value in use and the others that it can have.
//
//   spaceOf(scheduler, {})  ->  order: "y, x" | "x, y";  vector: "x" | "off";  jam: "4" | "1" "2" "8"; ...
//
// Invariant: if any one listed value replaces the one in use, the kernel has a legal schedule: each was
// tried, and the transformations accepted it.
#pragma once
#include "compiler/kernel/policy/processor.h"

namespace pbc::kernel {

struct OptionSpace {
  std::string option;
  std::string inUse;
  std::vector<std::string> others;
};

/// `asked`: the requests that the kernel has now.
std::vector<OptionSpace> spaceOf(Scheduler &, const Asked &asked);

} // namespace pbc::kernel
