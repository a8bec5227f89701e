// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `either { A } or { B }` in a rule's body: a choice inside the body, implemented by copies of the rule.
//
//   either { Quick(b, a); } or { Merge(b, a); }
//   =>  if (either_0 == 0) { Quick(b, a); } else { Merge(b, a); }      and the range either_0 = 0..1
//
// expand.cpp makes one copy of the rule for each value, as for `duplicate`; so the tuner chooses between
// them.
#pragma once
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace pbc::sema {

struct EitherRange {
  syntax::Identifier name; // at the keyword `either`
  long branches;
};

/// Rewrites the body; returns one range for each `either`, including nested ones.
std::vector<EitherRange> plainEither(source::MappedText &body, source::Diagnostics &);

} // namespace pbc::sema
