// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The names of buffers for users: those of the program, where they tell the buffers of a kernel apart.
//
//   buffer R0_sum double 2-d local, called sum
//   buffer R0_x double 2-d local, called x;  buffer R1_x double 2-d local, called x      variables of two rules
//   => programName(kernel, 0) = "sum", programName(kernel, 1) = "R0_x"
//      buffersCalled(kernel, "sum") = {0}, buffersCalled(kernel, "R0_sum") = {0}, buffersCalled(kernel, "x") = {1, 2}
//
// Messages and steps that the compiler writes have programName(); steps that it reads may have either name.
//
// Invariant: buffersCalled(programName(b)) is b alone.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

std::string programName(const Kernel &, int buffer);
std::string programName(const Kernel &, const Buffer &);

/// The buffer whose own name it is; if there is none, all that have this name in the program.
std::vector<int> buffersCalled(const Kernel &, const std::string &name);

} // namespace pbc::kernel
