// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the tree of a schedule, whose text print_tree.h describes.
#pragma once
#include "compiler/kernel/textual/fragments.h"

namespace pbc::kernel::textual {

/// Reads what comes behind the line's title, and the lines that are further to the right; the kernel has its statements already.
isl::schedule readTree(Reader &, const Fragments &, const Scheduled &kernel);

} // namespace pbc::kernel::textual
