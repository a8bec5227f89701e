// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Visits and rewrites loop trees, and the questions about them that passes ask.
//
//   struct Rename : Mutator { Expr expr(const Expr &e) override { ... } };
//   mentions(loop.begin, "c0")       whether the bound depends on the loop over c0
//
// Invariant: a Mutator makes new nodes only where something has changed, and shares the rest.
#pragma once
#include "compiler/loop/tree.h"

namespace pbc::loop {

/// Visits everything, parents first. A class that overrides a function calls the one of Visitor to go on below.
class Visitor {
public:
  virtual ~Visitor() = default;
  virtual void node(const NodePtr &);
  virtual void expr(const Expr &);
};

/// Rewrites everything below; a class that overrides a function calls the one of Mutator to rewrite what is below.
class Mutator {
public:
  virtual ~Mutator() = default;
  virtual NodePtr node(const NodePtr &);
  virtual Expr expr(const Expr &);
};

/// Whether the name of a variable or of a limit is used.
bool mentions(const Expr &, const std::string &name);
bool mentions(const NodePtr &, const std::string &name);
/// Whether some condition inside differs between the iterations of the loop over `iterator`.
bool branchesOn(const NodePtr &body, const std::string &iterator);

/// Whether a body that was not lifted is called.
bool callsBodies(const NodePtr &);

/// The same with other expressions in the places of names.
using Replacements = std::vector<std::pair<std::string, Expr>>;
Expr replaced(const Expr &, const Replacements &);
NodePtr replaced(const NodePtr &, const Replacements &);

} // namespace pbc::loop
