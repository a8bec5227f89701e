// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Replaces names by expressions in sizes, coordinates and conditions: in all of a header that is not C++.
//
//   k by 3:   A[k*n]  A.cell(i + k)  where i < k   =>   A[3*n]  A.cell(i + 3)  where i < 3
#pragma once
#include "compiler/syntax/ast.h"
#include <functional>

namespace pbc::sema {

class NameReplacer {
public:
  /// `by` gives the expression that stands in the place of a name (which it gets as it is written), or null: the name stays.
  explicit NameReplacer(std::function<syntax::ExprPtr(const syntax::Expr &)> by) : by_(std::move(by)) {}

  void rule(syntax::Rule &) const;
  void structures(std::vector<syntax::Structure> &) const;
  void matrices(std::vector<syntax::MatrixDecl> &) const;
  void expression(syntax::ExprPtr &) const;

private:
  void condition(syntax::Condition &) const;
  void version(std::optional<syntax::Version> &) const;
  std::function<syntax::ExprPtr(const syntax::Expr &)> by_;
};

} // namespace pbc::sema
