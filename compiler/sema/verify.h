// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks the invariants of a Module, which are listed in module.h. Runs after checking in builds with
// verifiers.
#pragma once
#include "compiler/sema/module.h"

namespace pbc::sema {

/// One sentence per violated invariant; nothing for a sound module.
std::vector<std::string> verify(const Module &);

} // namespace pbc::sema
