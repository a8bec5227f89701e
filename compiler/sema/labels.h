// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The names of rules, by which configurations choose among them.
//
//   { rule Fast B.cell(i) ...   B.cell(i) ...   rule Fast B.cell(i) ... }
//   => "Fast", "rule1", "Fast_2" and a warning
//
// Invariant: each rule of a transform has a label of its own, and the label of a rule does not depend on the
// rules behind it, unless one of them asks for that label.
#pragma once
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace pbc::sema {

/// One label for each rule, in their order: what `rule NAME` says, else "rule" and the rule's number. The
/// second and later ones of a name have a number behind it, from 2 on, and a warning says so.
std::vector<std::string> labelsOf(const std::string &transform, const std::vector<syntax::Rule> &,
                                  source::Diagnostics &);

} // namespace pbc::sema
