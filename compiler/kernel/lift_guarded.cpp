// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The part of BodyLifter that is about sums under conditions. Their statements have instances where the condition holds, and nowhere else:
//
//   for i in [0, n): s += i <= k && k < i + m ? a(i) * b(k - i) : 0
//   for i in [0, n): if (i <= k && k < i + m) s += a(i) * b(k - i)
//   => S[k, i]: s += a(i) * b(k - i)      { S[k, i] : 0 <= i < n and i <= k < i + m }
//
// so that loops over them go from the first to the last term, instead of asking at each step. Conditions that name no loop with many steps
// stay, as at the borders of windows: short loops are written out, and their steps have the same points.
#include "compiler/body/affine.h"
#include "compiler/body/update.h"
#include "compiler/body/value.h"
#include "compiler/kernel/lift_body.h"
#include <algorithm>
#include <cstdlib>

namespace pbc::kernel {
namespace {

using body::Value;

struct Choice {
  body::ValuePtr condition, yes, no;
};

/// `!c ? a : b` is `c ? b : a`.
Choice choiceOf(const Value &v) {
  Choice made{v.operands[0], v.operands[1], v.operands[2]};
  while (made.condition->kind == Value::Kind::Unary && made.condition->text == "!") {
    made.condition = body::ValuePtr(made.condition->operands[0]);
    std::swap(made.yes, made.no);
  }
  return made;
}

bool isNumber(const Value &v, double number) {
  const Value *at = &v;
  while (at->kind == Value::Kind::Cast)
    at = at->operands[0].get();
  return at->kind == Value::Kind::Literal && std::strtod(at->text.c_str(), nullptr) == number &&
         at->text.front() != '-';
}

/// Whether the scalar can never be -0.0, to which adding 0 would make a difference: it begins with a number, and is only added to.
bool isNeverMinusZero(const std::vector<body::NodePtr> &nodes, int local) {
  return std::all_of(nodes.begin(), nodes.end(), [&](const body::NodePtr &n) {
    if (n->kind == body::Node::Kind::Loop)
      return isNeverMinusZero(n->body, local);
    if (!n->target.isLocal || n->target.index != local || n->op == "+" || n->op == "-")
      return true;
    const Value *begin = &*n->value;
    while (begin->kind == Value::Kind::Cast)
      begin = begin->operands[0].get();
    return n->op.empty() && begin->kind == Value::Kind::Literal && begin->text.front() != '-';
  });
}

bool isConjunction(const Value &v) {
  if (v.kind == Value::Kind::Cast)
    return isConjunction(*v.operands[0]);
  return v.kind == Value::Kind::Binary && v.text != "||" && v.text != "!=" &&
         (v.text != "&&" || (isConjunction(*v.operands[0]) && isConjunction(*v.operands[1])));
}

} // namespace

bool BodyLifter::namesLongLoop(const Value &v) const {
  if (v.kind == Value::Kind::Iterator)
    return std::any_of(loops_.begin(), loops_.end(),
                       [&](const Loop &loop) { return loop.iterator == v.index && loop.isLong; });
  return std::any_of(v.operands.begin(), v.operands.end(),
                     [&](const auto &one) { return namesLongLoop(*one); });
}

std::optional<BodyLifter::GuardedSum> BodyLifter::guardedSum(const body::Node &node) const {
  if (node.value->kind != Value::Kind::Select)
    return std::nullopt;
  const Choice choice = choiceOf(*node.value);
  if (!isConjunction(*choice.condition) || !namesLongLoop(*choice.condition))
    return std::nullopt;
  const auto where = body::conditionText(*choice.condition, *facts_);
  if (!where)
    return std::nullopt;
  GuardedSum made{node, *where};
  made.addition.value = choice.yes;
  if (node.op == "+" && !body::isInteger(node.target.type) &&
      (!node.target.isLocal || !isNeverMinusZero(facts_->nodes, node.target.index)))
    return std::nullopt;
  if (node.op == "+" || node.op == "-" || node.op == "*")
    return isNumber(*choice.no, node.op == "*" ? 1 : 0) ? std::optional(made) : std::nullopt;
  if (!node.op.empty() || !body::isReadOf(*choice.no, node.target))
    return std::nullopt;
  body::takeOperator(made.addition.target, made.addition.op, made.addition.value);
  return made.addition.op.empty() ? std::nullopt : std::optional(made);
}

} // namespace pbc::kernel
