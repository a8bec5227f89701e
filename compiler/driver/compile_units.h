// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles each generated unit for each processor.
//
//   --cpu=x86-64-v2,x86-64-v4, units Sort and program
//   => Sort.x86-64-v2.cpp, Sort.x86-64-v4.cpp, program.cpp (for the least capable processor)
#pragma once
#include "compiler/driver/compilation.h"

namespace pbc::driver {

struct UnitRequest {
  const emit::Unit *unit;
  build::CompileRequest request;
};

std::vector<UnitRequest> unitRequests(Compilation &);

/// The requests for units of kernels, while the other units are still being made.
std::vector<build::CompileRequest> kernelRequests(Compilation &, const std::vector<emit::Unit> &);

} // namespace pbc::driver
