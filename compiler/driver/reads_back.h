// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether the text of a kernel (--emit=kernels, pbc opt) says all that there is to say: read back, it is printed in the same way
// and becomes the same code. Builds with PBC_VERIFY ask it of every kernel of every program.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::driver {

/// One sentence if it does not; otherwise nothing.
std::vector<std::string> readsBack(const kernel::Scheduled &, poly::Context &);

} // namespace pbc::driver
