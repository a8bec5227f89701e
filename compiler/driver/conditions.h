// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lets Clang read the conditions of adaptors, which are expressions of C++ over a matrix.
//
//   adaptor Small(X): | peel_triangular(X); {cond(X.width() < )}
//   => small.adl:1:55: error: this condition is no C++: expected expression
//
// A function that the condition calls and that nothing declares here is one that the program will have.
#pragma once
#include "compiler/kernel/kernel.h"
#include "compiler/script/adaptor.h"
#include "compiler/source/diagnostics.h"

namespace pbc::driver {

/// Reports what is wrong with the conditions of the adaptor, whose first parameter is such a matrix.
void checkConditions(const script::Adaptor &, const kernel::Buffer &matrix, source::Diagnostics &);

} // namespace pbc::driver
