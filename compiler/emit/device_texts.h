// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All kernels for devices as one text, after the prelude of a language: what --emit=opencl and --emit=cuda
// print, for groups of the default size.
//
//   // ==== prelude
//   // ==== Blur.rows, global, groups of 32 x 8 x 1
//   PB_KERNEL(pb_Blur_rows)(...) { ... }
#pragma once
#include "compiler/emit/emit.h"

namespace pbc::emit {

std::string deviceTexts(const Input &, bool forCuda);

} // namespace pbc::emit
