// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/replace_names.h"

namespace pbc::sema {

void NameReplacer::rule(syntax::Rule &r) const {
  for (auto &flag : r.flags)
    expression(flag.value);
  for (auto *list : {&r.outputs, &r.inputs})
    for (auto &region : *list) {
      version(region.version);
      for (auto &c : region.coordinates)
        expression(c);
      expression(region.defaultValue);
    }
  matrices(r.locals);
  for (auto &c : r.where)
    condition(c);
}

void NameReplacer::structures(std::vector<syntax::Structure> &list) const {
  for (auto &structure : list)
    for (auto &kind : structure.kinds)
      for (auto &e : kind.arguments)
        expression(e);
}

void NameReplacer::matrices(std::vector<syntax::MatrixDecl> &list) const {
  for (auto &m : list) {
    version(m.version);
    for (auto &e : m.extents)
      expression(e);
  }
}

void NameReplacer::condition(syntax::Condition &c) const {
  if (c.relation)
    expression(c.relation->left), expression(c.relation->right);
  for (auto &part : c.parts)
    condition(part);
}

void NameReplacer::version(std::optional<syntax::Version> &v) const {
  if (v)
    expression(v->first), expression(v->last);
}

void NameReplacer::expression(syntax::ExprPtr &e) const {
  if (!e)
    return;
  if (e->kind == syntax::Expr::Kind::Name) {
    if (auto other = by_(*e))
      e = std::move(other);
    return;
  }
  if (e->operands.empty())
    return;
  auto copy = std::make_shared<syntax::Expr>(*e);
  for (auto &operand : copy->operands)
    expression(operand);
  e = std::move(copy);
}

} // namespace pbc::sema
