// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/nodes.h"
#include "compiler/kernel/tree.h"
#include "compiler/loop/convert.h"
#include "compiler/loop/tree.h"
#include <isl/ast.h>
#include <isl/id.h>

namespace pbc::emit {
namespace {

isl::ast_expr argument(const isl::ast_expr &of, int k) {
  return isl::manage(isl_ast_expr_op_get_arg(of.get(), k));
}

} // namespace

LoopNode loopNode(const isl::ast_node &node) {
  const loop::Expr iterator = loop::expression(isl::manage(isl_ast_node_for_get_iterator(node.get())));
  loop::For l{loop::as<loop::Name>(iterator)->name,
              loop::expression(isl::manage(isl_ast_node_for_get_init(node.get()))), nullptr, nullptr,
              nullptr};
  if (isl_ast_node_for_is_degenerate(node.get()) != isl_bool_true) {
    l.condition = loop::expression(isl::manage(isl_ast_node_for_get_cond(node.get())));
    l.step = loop::expression(isl::manage(isl_ast_node_for_get_inc(node.get())));
  }
  return {l.iterator, l.begin,        l.condition,
          l.step,     loop::endOf(l), isl::manage(isl_ast_node_for_get_body(node.get()))};
}

BranchNode branchNode(const isl::ast_node &node) {
  BranchNode b{loop::expression(isl::manage(isl_ast_node_if_get_cond(node.get()))),
               isl::manage(isl_ast_node_if_get_then_node(node.get())),
               {}};
  if (isl_ast_node_if_has_else_node(node.get()) == isl_bool_true)
    b.otherwise = isl::manage(isl_ast_node_if_get_else_node(node.get()));
  return b;
}

CallNode callNode(const kernel::Kernel &kernel, const isl::ast_node &node) {
  const isl::ast_expr call = isl::manage(isl_ast_node_user_get_expr(node.get()));
  const isl::id name = isl::manage(isl_ast_expr_id_get_id(argument(call, 0).get()));
  CallNode c{kernel::statementIndex(kernel, name.name()), {}};
  for (int k = 1, n = static_cast<int>(isl_ast_expr_op_get_n_arg(call.get())); k < n; ++k)
    c.dimensions.push_back(loop::expression(argument(call, k)));
  return c;
}

std::vector<isl::ast_node> sequence(const isl::ast_node &node) {
  if (isl_ast_node_get_type(node.get()) != isl_ast_node_block)
    return {node};
  std::vector<isl::ast_node> all;
  const auto children = node.as<isl::ast_node_block>().children();
  for (unsigned k = 0; k < children.size(); ++k)
    all.push_back(children.at(static_cast<int>(k)));
  return all;
}

std::optional<std::string> declaredLocal(const isl::ast_node &node) {
  const std::optional<kernel::PlacedMark> mark = kernel::markAt(node);
  const auto *declares = mark ? std::get_if<kernel::Declare>(&mark->mark) : nullptr;
  return declares ? std::optional(declares->local) : std::nullopt;
}

isl::ast_node belowMark(const isl::ast_node &node) {
  return isl::manage(isl_ast_node_mark_get_node(node.get()));
}

} // namespace pbc::emit
