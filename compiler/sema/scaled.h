// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `scaled_by F`: the transform may also be computed at a smaller size, with its inputs scaled down by F
// before and its outputs scaled up by F afterwards.
//
//   transform T from A[n] to B[n] scaled_by F ...
//   =>  rule scaled_by_F to(B B) from(A A) {               and   accuracy_variable scale_percent(50, 10, 90)
//         const int scaled_n = ...n * scale_percent / 100...;
//         pb::Region<double, 1> scaled_A = ...allocate(scaled_n), scaled_B = ...;
//         F(scaled_A, A);  T(scaled_B, scaled_A);  F(B, scaled_B); }
//
// The rule replaces all others (Rule::replacesAll), so it is one more alternative whatever their priorities;
// the tuner takes it where the result is still accurate enough. Source: language reference 1.4, which gives
// only the purpose.
#pragma once
#include "compiler/sema/module.h"
#include "compiler/source/diagnostics.h"

namespace pbc::sema {

/// The clause, or null.
const syntax::NameClause *scaledBy(const syntax::Transform &);

/// Appends the rule and its tunable. Without accuracy targets it could never be decided whether the rule may
/// be used: then there is none, and a warning.
void addScaledRule(syntax::Transform &header, std::vector<syntax::Rule> &rules, source::Diagnostics &);

/// Checks that the transform named by the clause scales matrices of these ranks down and up; reports errors.
void checkScaledBy(const Module &, const Transform &, source::Diagnostics &);

} // namespace pbc::sema
