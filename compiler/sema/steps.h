// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The parts of check(), one file each: a transform's header (transform.cpp), a rule (rule.cpp).
#pragma once
#include "compiler/sema/affine.h"
#include "compiler/sema/expand.h"
#include <set>

namespace pbc::sema {

/// Matrices, sizes and items of a transform; everything but its rules.
Transform checkHeader(const TransformCopy &, source::Diagnostics &);

/// Adds the structures of the transform's matrices, which checkHeader has made.
void checkStructures(const TransformCopy &, Transform &, source::Diagnostics &);

/// Checks one rule, given the header; its index is set later. Nothing if an error makes the rule meaningless.
std::optional<Rule> checkRule(Transform &, const RuleCopy &, source::Diagnostics &);

/// The meaning of the transform's schedules: for which rules they are, and on which device. Whether their steps apply
/// is known once the rules have loops.
std::vector<Schedule> checkSchedules(const TransformCopy &, source::Diagnostics &);

/// The meaning of the rule's `gpu` clauses, checked against its regions; nothing if there is none, or it is
/// wrong.
std::optional<LibraryUse> checkLibrary(const Transform &, const Rule &, const syntax::Rule &,
                                       source::Diagnostics &);

/// The name of a product in the transform's sizes, a new one if it has none; nothing if a factor is not a
/// size.
std::optional<std::string> productOf(Transform &, const std::vector<std::string> &factors);

/// Whether sizes and coordinates may use the name, if it is a tunable; reports tunables that they may not
/// use.
bool mayBeIndex(const Transform &, const std::string &name, Span, source::Diagnostics &);

/// The element type that `name` stands for.
std::optional<Element> elementNamed(const Identifier &, source::Diagnostics &);

/// "did you mean `Kernel`?" or "" when nothing is near.
std::string nearest(const std::string &wanted, const std::vector<std::string> &candidates);

} // namespace pbc::sema
