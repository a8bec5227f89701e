// Compiles emitted kernels with clang++ and runs them against a naive evaluation written by hand.
#pragma once
#include "tests/unit/kernel/support.h"

namespace pbc::kernel {

/// Output of a program made of `kernels` (kernel0, kernel1, ...) and `mainText`; "compiler: ..." when it does
/// not compile or warns. A prelude gives mainText: `Matrix<D>` with random contents and a chosen stride, see
/// run.cpp.
std::string compileAndRun(Lifted &, const std::vector<Kernel> &kernels, const std::string &mainText,
                          const std::string &before = "");

} // namespace pbc::kernel
