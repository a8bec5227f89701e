// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Evaluates the condition of #if and #elif: an integer constant expression, as in C.
//
//   defined(N) && N >= 3   with N defined as 4   =>   true
//
// Names that are not macros are 0. Division by zero, missing operands and similar errors are reported at
// their place.
#pragma once
#include "compiler/syntax/macro.h"

namespace pbc::syntax {

/// `tokens`: expanded, without blanks, with each `defined(X)` already replaced by 0 or 1. False after an
/// error.
bool holds(const std::vector<MacroToken> &tokens, Span directive, source::Diagnostics &);

} // namespace pbc::syntax
