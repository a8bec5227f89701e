// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Keeps LLVM from making vectors of a loop.
//
//   label x: band x: S   =>   scalar(x)   label x: scalar: band x: S
//
// Always legal.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation scalarTransformation();

} // namespace pbc::kernel
