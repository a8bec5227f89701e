// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which values of a body are the same for all work-items that compute them at the same time: a device reads a table at such
// an index from constant memory at once, and at other indices one item after the other.
//
//   for (int k = 0; k < n; ++k) s += w[k] * a.cell(k);          k is common: all items count from 0
//   for (int k = x; k < n; ++k) s += w[k - 1] * a.cell(k);      k is not: x is the point's coordinate
//   s += w[int(a.cell(k))];                                     nor is a value of a cell
//
// Invariant: only how fast a kernel is depends on the answer. The end of a loop does not matter: items that have left it read
// nothing.
#pragma once
#include "compiler/body/unit.h"
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <map>
#include <set>

namespace pbc::body {

class CommonValues {
public:
  using Parameters = std::set<const clang::ParmVarDecl *>;
  CommonValues(const clang::ASTContext &context, const RuleText &rule) : context_(context), rule_(rule) {}

  /// Whether it is common, as long as these parameters of functions are, which are added to `relies`.
  bool isCommon(const clang::Expr *, Parameters &relies);
  /// A function that the body calls gets this value for its parameter.
  void passes(const clang::ParmVarDecl *, const clang::Expr *value);
  /// Whether all values that were passed for these parameters are common.
  bool areCommon(const Parameters &) const;
  /// Whether the function that declares the variable does nothing with it but to read its value or its elements.
  bool isOnlyRead(const clang::VarDecl *);

private:
  /// Variables of a function by what happens to them besides being read.
  struct Changes {
    std::set<const clang::ValueDecl *> any;
    std::set<const clang::ValueDecl *>
        inside; // other than by constant steps in the head of the loop that declares them
  };
  const Changes *changesAround(const clang::VarDecl *);
  void collect(const clang::Stmt *, Changes &) const;
  bool isCommonVariable(const clang::VarDecl *, Parameters &relies);

  const clang::ASTContext &context_;
  const RuleText &rule_;
  std::map<const clang::FunctionDecl *, Changes> changes_;
  std::set<const clang::VarDecl *> asked_; // variables whose initial values are being looked at
  Parameters differing_;
  std::map<const clang::ParmVarDecl *, Parameters> passed_;
};

} // namespace pbc::body
