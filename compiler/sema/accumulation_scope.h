// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the rules of a transform can name before names are resolved: matrices, sizes, and other numbers.
//
//   transform T from A[n, n] to B[n] param p { let half = n / 2; ... }
//   => matrices A, B; computed B; sizes n; numbers p, half
#pragma once
#include "compiler/syntax/ast.h"
#include <map>
#include <set>

namespace pbc::sema {

struct AccumulationScope {
  explicit AccumulationScope(const syntax::Transform &header);
  std::map<std::string, const syntax::MatrixDecl *> matrices;
  std::set<std::string> computed; // matrices that rules compute
  std::set<std::string> sizes;    // never negative
  std::set<std::string> numbers;  // params, tunables, arguments of templates, constants
  bool knows(const std::string &name) const { return sizes.contains(name) || numbers.contains(name); }
  const syntax::MatrixDecl *find(const std::string &matrix) const;
};

} // namespace pbc::sema
