// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// isl's AST of loops, node by node, with expressions of the loop tree: the part that the printers of devices share.
//
//   for (int c0 = 1; c0 <= n - 2; c0 += 1)  =>  LoopNode { "c0", 1, c0 <= n - 2, 1, end n - 2 + 1 }
//   S1(c0, c1);                             =>  CallNode { statement 1, { c0, c1 } }
#pragma once
#include "compiler/kernel/kernel.h"
#include "compiler/loop/expression.h"
#include <optional>

namespace pbc::emit {

struct LoopNode {
  std::string iterator;
  loop::Expr begin;
  loop::Expr condition, step; // both null if the loop has one iteration
  loop::Expr end;             // half open; null if the condition is not an upper bound
  isl::ast_node body;
  bool isSingle() const { return !condition; }
  bool hasUnitStep() const { return loop::isInteger(step, 1); }
  /// Whether the loop has the form for (i = begin; i < end; ++i).
  bool isCounting() const { return end && hasUnitStep(); }
};
LoopNode loopNode(const isl::ast_node &);

struct BranchNode {
  loop::Expr condition;
  isl::ast_node then;
  std::optional<isl::ast_node> otherwise;
};
BranchNode branchNode(const isl::ast_node &);

/// A leaf: the statement that it runs, and its dimensions there.
struct CallNode {
  int statement;
  std::vector<loop::Expr> dimensions;
};
CallNode callNode(const kernel::Kernel &, const isl::ast_node &);

/// The nodes of a block in their order; for another node, the node itself.
std::vector<isl::ast_node> sequence(const isl::ast_node &);
/// The Local that a mark node declares; nothing for other nodes.
std::optional<std::string> declaredLocal(const isl::ast_node &);
/// The node below a mark.
isl::ast_node belowMark(const isl::ast_node &);

} // namespace pbc::emit
