// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Keeps LLVM from making vectors of a loop, and from writing it out.
//
//   label x: band x: S   =>   rolled(x)   label x: rolled: band x: S
//
// Always legal.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation rolledTransformation();

} // namespace pbc::kernel
