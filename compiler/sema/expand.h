// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Expands copies: a `template` transform becomes one transform for each combination of its values, a rule
// with `duplicate` one rule for each of its values.
//
//   template <k(1,2)> transform T from A[n] to B[n*k] {
//     duplicate(v, 0, 1) to(B.region(v, v+k) b) from(A a) { ... } }
//   =>  T<1>: B[n*1]  rules v=0: B.region(0, 0+1), v=1: B.region(1, 1+1);   T<2>: ...
//
// A constant is replaced by its number in sizes, coordinates and conditions; bodies see it by its name
// (body/unit.h). Names are not looked up here. Source: language reference 1.4 (template), 1.5 (duplicate).
#pragma once
#include "compiler/sema/module.h"
#include "compiler/source/diagnostics.h"

namespace pbc::sema {

struct RuleCopy {
  syntax::Rule rule;
  std::string label; // of the original rule in its transform
  int position;      // of the original rule in its transform
  std::vector<Constant> constants;
};

struct TransformCopy {
  syntax::Transform header; // without rules
  std::vector<Constant> constants;
  std::vector<RuleCopy> rules;
  bool hasRules; // in the source: a mistake in `duplicate` may leave none
};

/// All transforms of the program in their order, copies of one transform adjacent, the last constant varying
/// fastest. Forward declarations are left out.
std::vector<TransformCopy> expand(const syntax::Program &, source::Diagnostics &);

/// "<1,4>", or "" without constants.
std::string copySuffix(const std::vector<Constant> &);

} // namespace pbc::sema
