// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles emitted kernels with clang++ and runs them against a naive evaluation written by hand.
#pragma once
#include "tests/unit/kernel/support.h"

namespace pbc::kernel {

/// The output of a program made of `kernels` (kernel0, kernel1, ...) and `mainText`; "compiler: ..." if it
/// does not compile or gives warnings. A prelude gives mainText the class `Matrix<D>`, with random contents
/// and a chosen stride; see run.cpp.
std::string compileAndRun(Lifted &, const std::vector<Scheduled> &kernels, const std::string &mainText,
                          const std::string &before = "");

/// The number of instructions in the kernels' code for AVX2 that multiply and add four doubles at once.
int packedMultiplyAdds(Lifted &, const std::vector<Scheduled> &kernels);

} // namespace pbc::kernel
