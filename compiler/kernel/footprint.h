// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How much memory the cells of a kernel use.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

unsigned bytesOf(Scalar);

/// The bytes of one place in all matrices together that have at least `places` dimensions: the first
/// dimensions are the place, the others count versions.
long bytesPerPlace(const Kernel &, int places);

} // namespace pbc::kernel
