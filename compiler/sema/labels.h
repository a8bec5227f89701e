// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The names of rules, which configurations use to choose among them.
//
//   { rule Fast B.cell(i) ...   B.cell(i) ...   rule Fast B.cell(i) ... }
//   => "Fast", "rule1", "Fast_2" and a warning
//
// Invariant: each rule of a transform has a unique label, and the label of a rule does not depend on later rules,
// unless one of them has that label in the source.
#pragma once
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace pbc::sema {

/// One label for each rule, in their order: the NAME of `rule NAME`, or "rule" and the rule's number. If a name
/// occurs again, "_2", "_3" and so on is appended and a warning is reported.
std::vector<std::string> labelsOf(const std::string &transform, const std::vector<syntax::Rule> &,
                                  source::Diagnostics &);

} // namespace pbc::sema
