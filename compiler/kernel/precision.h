// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a kernel of `float` matrices computes in `double`, because of a literal without its `f`: vectors are half as wide then, and many GPUs
// compute 2 to 64 times slower.
//
//   B[x, y] = 0.2 * A[x, y]    with A and B of float   =>   literalOfDouble(kernel) is "0.2"
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

/// The first such literal; "" if there is none, or if the kernel has something else of type `double`. Literals that are only converted to
/// float do not count.
std::string literalOfDouble(const Kernel &);

} // namespace pbc::kernel
