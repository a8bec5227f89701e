// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What must be true of every Kernel; the list is in kernel.h.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

/// One sentence per violated invariant; nothing for a sound kernel.
std::vector<std::string> verify(const Kernel &);

} // namespace pbc::kernel
