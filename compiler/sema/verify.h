// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What must be true of every Module; the list is in module.h. Run after checking in builds with verifiers.
#pragma once
#include "compiler/sema/module.h"

namespace pbc::sema {

/// One sentence per violated invariant; nothing for a sound module.
std::vector<std::string> verify(const Module &);

} // namespace pbc::sema
