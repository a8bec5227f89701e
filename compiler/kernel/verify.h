// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks the invariants of a Kernel, which are listed in kernel.h.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// One sentence per violated invariant; nothing for a sound kernel.
std::vector<std::string> verify(const Scheduled &);

} // namespace pbc::kernel
