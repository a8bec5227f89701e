// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The stencil of a program that is named on pbc model's command line, and the time of its iteration, which
// may be a range.
//
//   stencilOfProgram("samples/heat.pbcc", "", eachKernel)
//       ->  HeatStep.Inside: 2 dimensions, radius 1, 2 words a point
#pragma once
#include "compiler/model/command/command.h"
#include "compiler/model/time/stencil_of_kernel.h"

namespace pbc::model {

/// The largest stencil of a program, or that of the named kernel. Throws Problem if there is none,
/// AlreadySaid if the program has errors.
KernelStencil stencilOfProgram(const std::string &program, const std::string &kernel, const EachKernel &);

/// The estimated time of an iteration on a machine: that of Jacobi2D, scaled by the operations and reads of
/// both. Adds a remark about this.
double estimatedIteration(const Machine &, const KernelStencil &, std::vector<std::string> &remarks);

} // namespace pbc::model
