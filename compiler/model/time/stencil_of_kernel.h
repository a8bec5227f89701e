// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recognises the stencil that a kernel of the compiler computes, from its access relations.
//
//   B[x, y] = A[x, y] + 0.1 * (A[x - 1, y] + A[x + 1, y] + A[x, y - 1] + A[x, y + 1] - 4 * A[x, y])
//     => 2 dimensions, radius 1, 2 words a point (double), {"fadd": 5, "fmul": 2}
//   S[x, t] = (S[x - 1, t - 1] + S[x + 1, t - 1]) / 2
//     => 1 dimension: t, along which every cell needs earlier ones, is time
//
// A kernel is a stencil if each cell of its output needs cells at fixed distances, which along time are not
// in the same step. A kernel whose matrices have no time is one step, to be repeated. Invariant: distances
// come from the access relations, so the result holds for every cell.
#pragma once
#include "compiler/kernel/kernel.h"
#include "compiler/model/time/stencil.h"

#include <optional>

namespace pbc::model {

struct KernelStencil {
  Stencil stencil;      // its name is the kernel's
  int reads = 0;        // number of reads of matrix cells in an iteration
  int numberWords = 1;  // words of one cell: a double has 2
  bool hasTime = false; // among the dimensions of its matrix
};

struct StencilOutcome {
  std::optional<KernelStencil> stencil;
  std::string why; // why it is not a stencil
};

StencilOutcome stencilOfKernel(const kernel::Kernel &);

/// Keeps the stencil in which most of a program's time is likely to be spent: the one with the most
/// dimensions, then the widest, then the most reads; the first of equals.
void keepLarger(std::optional<KernelStencil> &kept, const KernelStencil &next);

} // namespace pbc::model
