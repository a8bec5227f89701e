// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The chains of a program: rules that hand on `through` matrices, each as one kernel (compiler/kernel/chain.h).
//
//   transform Blur from A to C through T { rule rows T.cell(x, y) ...  rule columns C.cell(x, y) from(T.column(x) ..) ... }
//   => the kernel Blur.rows+columns, whose temporary is T
//
// A chain has all steps of a plan that use its matrices, and those between them. What cannot be one kernel is left out: rules whose bodies call
// transforms or were not lifted, and matrices with versions.
#pragma once
#include "compiler/driver/compilation.h"

namespace pbc::driver {

/// Of all plans of all transforms, each once.
std::vector<kernel::Scheduled> chainsOf(Compilation &);

} // namespace pbc::driver
