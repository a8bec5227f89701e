// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which adaptors the structures of a kernel's matrices ask for.
//
//   structure A is lower_triangular, transposed;      a rule that reads A
//   => Triangular(A), Transpose(A)
//
// structures.inc has a line for each kind of structure that has an adaptor; the adaptors themselves are files (stdlib/adaptors). Source:
// optimisation-scripts 9.1, "automatic from `structure`".
#pragma once
#include "compiler/compose/alternatives.h"
#include "compiler/kernel/kernel.h"
#include "compiler/script/adaptor.h"
#include "compiler/sema/module.h"

namespace pbc::compose {

/// In the order of the transform's matrices, and for each in that of structures.inc.
std::vector<script::Adaptation> adaptationsOf(const sema::Transform &, const kernel::Kernel &);

/// Whether the matrix's structure says that it holds, or leaves it to what the matrix contains.
Decision decided(const script::Condition &, const sema::Transform &);

} // namespace pbc::compose
