// --emit=kernels: a Kernel as text.
//
//   kernel Smooth.rule0 [n]
//     buffer A double 1-d input
//     buffer R0_s double local of (i)
//     R0_S1[i, k]: R0_s[i] += A[-1 + i + k]          { R0_S1[i, k] : ... }
//     schedule
//       band i
//         alloc:R0_s
//           sequence ...
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

std::string print(const Kernel &);

/// A statement's assignment, as "R0_s[i] += A[-1 + i + k]".
std::string print(const Kernel &, const Statement &);

} // namespace pbc::kernel
