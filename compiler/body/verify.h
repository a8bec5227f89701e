// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks the invariants of Facts, which are listed in facts.h. Runs after reading the bodies in builds with
// verifiers.
#pragma once
#include "compiler/body/facts.h"

namespace pbc::body {

/// One sentence per violated invariant; nothing for sound facts.
std::vector<std::string> verify(const sema::Module &, const std::vector<std::vector<Facts>> &);

} // namespace pbc::body
