// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// isl's AST of loops, node by node, with its expressions as text: the part that the printers of devices share.
//
//   for (int c0 = 1; c0 <= n - 2; c0 += 1)  =>  LoopNode { "c0", "1", "c0 <= n - 2", "1", end "n - 2 + 1" }
//   S1(c0, c1);                             =>  CallNode { statement 1, { c0, c1 } }
//
// Invariant: each expression is passed to `text` once, from left to right.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/loop/expression.h"
#include <functional>

namespace pbc::emit {

/// Converts an expression to text of the printed language.
using ExpressionText = std::function<std::string(const isl::ast_expr &)>;

struct LoopNode {
  std::string iterator, begin;
  std::string condition, step; // both empty if the loop has one iteration
  std::string end;             // half open; "" if the condition is not an upper bound
  isl::ast_node body;
  bool isSingle() const { return condition.empty(); }
  /// Whether the loop has the form for (i = begin; i < end; ++i).
  bool isCounting() const { return !end.empty() && step == "1"; }
};
LoopNode loopNode(const isl::ast_node &, const ExpressionText &text);

struct BranchNode {
  std::string condition;
  isl::ast_node then;
  std::optional<isl::ast_node> otherwise;
};
BranchNode branchNode(const isl::ast_node &, const ExpressionText &text);

/// A leaf: the statement that it runs, and its dimensions there.
struct CallNode {
  int statement;
  std::vector<loop::Expr> dimensions;
};
CallNode callNode(const kernel::Scheduled &, const isl::ast_node &);

/// The nodes of a block in their order; for another node, the node itself.
std::vector<isl::ast_node> sequence(const isl::ast_node &);
/// The Local that a mark node declares; nothing for other nodes.
std::optional<std::string> declaredLocal(const isl::ast_node &);
/// The node below a mark.
isl::ast_node belowMark(const isl::ast_node &);

} // namespace pbc::emit
