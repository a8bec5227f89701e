// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a kernel's schedule could be: its options with the value in use and the others that it can have.
//
//   spaceOf(scheduler, {})  ->  order: "y, x" | "x, y";  vector: "x" | "off";  jam: "4" | "1" "2" "8"; ...
//
// Invariant: with any one value in place of the one in use the kernel has a legal schedule: it was made, and
// the transformations said yes.
#pragma once
#include "compiler/kernel/default_schedule.h"

namespace pbc::kernel {

struct OptionSpace {
  std::string option;
  std::string inUse;
  std::vector<std::string> others;
};

/// `asked` is what the kernel has now.
std::vector<OptionSpace> spaceOf(Scheduler &, const Asked &asked);

} // namespace pbc::kernel
