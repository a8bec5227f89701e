// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The rules that the use of an adaptor stands for.
//
//   adaptor Transpose(X): | GM_map(X, Transpose); | SM_alloc(X, Transpose);
//   adaptor TransposedSolve(X): Transpose(X); Solver(X);
//   => TransposedSolve(A) has a rule for each rule of Transpose(A) and each of Solver(A)
//
// A step of a rule may be a use of another adaptor, in whose place its rules stand. Adaptors that use each other in a circle have none.
#pragma once
#include "compiler/script/adaptor.h"
#include "compiler/source/diagnostics.h"
#include <optional>

namespace pbc::compose {

/// Null if there is none of this name.
const script::Adaptor *findAdaptor(const std::vector<script::Adaptor> &, const std::string &name);

/// Nothing, and an error, if there is no such adaptor, if it has another number of parameters, or if adaptors use each other.
std::optional<std::vector<script::AdaptorRule>> rulesOf(const std::vector<script::Adaptor> &,
                                                        const script::Adaptation &, source::Diagnostics &);

} // namespace pbc::compose
