// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lets Clang read the conditions of adaptors, which are expressions of C++ over a matrix.
//
//   adaptor Small(X): | peel_triangular(X); {cond(X.width() < )}
//   => small.adl:1:55: error: this condition is no C++: expected expression
//
// Without a program, a function that the condition calls and that nothing declares is one that the program will have.
#pragma once
#include "compiler/body/prelude.h"
#include "compiler/kernel/kernel.h"
#include "compiler/script/adaptor.h"
#include "compiler/sema/module.h"
#include "compiler/source/diagnostics.h"

namespace pbc::driver {

/// Reports what is wrong with the conditions of the adaptor, whose first parameter is such a matrix.
void checkConditions(const script::Adaptor &, const kernel::Buffer &matrix, source::Diagnostics &);

/// What the generated code of a program has in front of its transforms.
struct ProgramBeginning {
  body::Library library;
  const std::vector<std::string> &rawBlocks;
  const std::vector<std::string> &headerPath; // options of Clang
};

/// Reports what is wrong with the condition in a program, for this matrix of one of its transforms. Returns whether it asks the matrix
/// for its memory (body::Reading::takesPointers).
bool checkGuard(const script::Condition &, const sema::Matrix &, const ProgramBeginning &,
                source::Diagnostics &);

} // namespace pbc::driver
