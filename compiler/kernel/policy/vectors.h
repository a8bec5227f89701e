// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides which loop of a kernel becomes vectors, and how: the steps that the policy then runs.
//
//   C[x, y] = A[x, y] + B[x, y]                  vector(x)
//   s = 0; for k in [0, 3): s += A[x + k, y]     unroll(k); vector(x)
//   s = 0; for k in [0, n): s += A[x + k, y]     lanes(x)
//   a 3 x 3 stencil                              vector(x); jam(y; 4)
//
// x is the dimension in which the written matrices are contiguous. Short bodies are written out in a vector loop; bodies with
// long or run-time loops run in groups of lanes.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/script/script.h"

namespace pbc::kernel {

struct VectorForm {
  enum class Body { Any, Unrolled, Lanes }; // unrolled if the body is short, else in lanes
  int along = -1;                           // the loop's variable; -1: the contiguous one
  Body body = Body::Any;
  int interleave = 0; // vectors at once in a vector loop; 0: LLVM decides
  long lanes = 0;     // points in a group; 0: as many as the registers hold
};

struct Steps {
  script::Script steps; // empty: none, and `why` says it
  std::string why;
  std::optional<Scheduled> kernel = {}; // after the steps, where that is known already
};

/// The kernel's loops have labels.
Steps vectorSteps(const Scheduled &, const VectorForm & = {});
/// `rows`: iterations together, whether it pays or not; 0: as many as fit into registers, if that saves reads.
Steps jamSteps(const Scheduled &, int rows = 0);
/// Keeps the innermost loops without vectors.
Steps scalarSteps(const Scheduled &);

} // namespace pbc::kernel
