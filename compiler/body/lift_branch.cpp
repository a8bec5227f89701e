// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/affine.h"
#include "compiler/body/lift.h"
#include <algorithm>

namespace pbc::body {
namespace {

using Kind = Tree::Kind;

bool sameTarget(const Target &a, const Target &b) {
  return a.isLocal == b.isLocal && a.index == b.index &&
         std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end(),
                    [](const ValuePtr &x, const ValuePtr &y) { return same(*x, *y); });
}

ValuePtr select(ValuePtr condition, ValuePtr yes, ValuePtr no, Span span) {
  const Scalar type = yes->type;
  return makeValue(Value::Kind::Select, type, "", {std::move(condition), std::move(yes), std::move(no)},
                   span);
}

const Tree *plainAssignment(const std::vector<const Tree *> &list) {
  if (list.size() != 1 || list[0]->kind != Kind::Discard)
    return nullptr;
  const Tree &t = list[0]->child(0);
  return t.kind == Kind::Assign && t.text.empty() ? &t : nullptr;
}

} // namespace

/// Remembers the cells of a value that are read whatever its conditions are.
void Lifter::remember(const Value &v) {
  if (v.kind == Value::Kind::Cell)
    known_.push_back(std::make_shared<Value>(v));
  const bool lazy =
      v.kind == Value::Kind::Select || (v.kind == Value::Kind::Binary && (v.text == "&&" || v.text == "||"));
  for (std::size_t i = 0; i < (lazy ? 1 : v.operands.size()); ++i)
    remember(*v.operands[i]);
}

bool Lifter::alwaysInside(const Value &cell) const {
  if (cell.operands.empty())
    return true;
  for (const ValuePtr &k : known_)
    if (same(*k, cell))
      return true;
  const sema::Binding &b = binding(c_.rule, cell.index);
  for (std::size_t d = 0; d < cell.operands.size(); ++d) {
    const auto at = constantOf(*cell.operands[d], facts_);
    const ValuePtr size = extentValue(b, b.viewDims[d]);
    const auto extent = size ? constantOf(*size, facts_) : std::nullopt;
    if (!at || !extent || *at < 0 || *at >= *extent)
      return false;
  }
  return true;
}

bool Lifter::safe(const Value &v, std::string &why) const {
  if (v.kind == Value::Kind::Cell && !alwaysInside(v)) {
    why = "the `if` decides whether a cell is accessed";
    return false;
  }
  if (v.kind == Value::Kind::Binary && isInteger(v.type) && (v.text == "/" || v.text == "%")) {
    const auto divisor = constantOf(*v.operands[1], facts_);
    if (!divisor || *divisor == 0 || *divisor == -1) {
      why = "the `if` guards a division of integers";
      return false;
    }
  }
  if (v.kind == Value::Kind::Binary && (v.text == "<<" || v.text == ">>") &&
      !constantOf(*v.operands[1], facts_)) {
    why = "the `if` guards a shift";
    return false;
  }
  if (v.kind == Value::Kind::Cast && isInteger(v.type) && !isInteger(v.operands[0]->type) &&
      v.type != Scalar::Bool) {
    why = "the `if` guards a conversion to an integer";
    return false;
  }
  return std::all_of(v.operands.begin(), v.operands.end(), [&](const ValuePtr &o) { return safe(*o, why); });
}

void Lifter::requireSafe(const Value &v, const Tree &t) const {
  std::string why;
  if (!safe(v, why))
    stop(t, why);
}

/// A value that is computed only where the condition holds, or only where it does not. Without data in the condition it is known at which
/// points that is, and which cells they access.
void Lifter::requireSafeUnder(const Value &condition, const Value &v, const Tree &t) const {
  if (!conditionText(condition, facts_))
    requireSafe(v, t);
}

/// The value that a return-style body returns from here on: `if (c) return x; return y;` gives c ? x : y.
ValuePtr Lifter::tailValue(const Statements &list, std::size_t from) {
  if (from >= list.size())
    throw Obstacle{"not every path returns a value", c_.rule.span};
  const Tree &t = *list[from];
  if (t.kind == Kind::Return && !t.children.empty()) {
    if (from + 1 != list.size())
      stop(t, "it returns before its end");
    return expression(t.child(0));
  }
  if (t.kind != Kind::If)
    stop(t, t.kind == Kind::Return ? "it returns before its end" : "it computes between its `return`s");
  ValuePtr condition = this->condition(t.child(0));
  remember(*condition);
  const auto known = known_.size(); // an inner condition's cells are read only under the outer condition
  ValuePtr yes = tailValue(flatten(t.child(1)), 0);
  known_.resize(known);
  requireSafeUnder(*condition, *yes, t.child(1));
  if (t.children[2] && from + 1 != list.size())
    stop(*list[from + 1], "it goes on after a `return`");
  ValuePtr no = t.children[2] ? tailValue(flatten(t.child(2)), 0) : tailValue(list, from + 1);
  known_.resize(known);
  requireSafeUnder(*condition, *no, t.children[2] ? t.child(2) : t);
  return select(condition, convert(yes, no->type), no, c_.span(t));
}

ValuePtr Lifter::readBack(const Target &t) const {
  return t.isLocal ? makeValue(Value::Kind::Local, t.type, "", {}, {}, t.index)
                   : makeValue(Value::Kind::Cell, t.type, "", t.indices, {}, t.index);
}

/// A condition that is computed once, because a branch may change the data that it reads; without data it stays as it is.
ValuePtr Lifter::onceComputed(const ValuePtr &condition, const Tree &t, Nodes &out) {
  if (conditionText(*condition, facts_))
    return condition;
  Target g;
  g.isLocal = true;
  g.index = newLocal("taken", Scalar::Bool);
  g.type = Scalar::Bool;
  store(g, "", condition, t, out);
  return readBack(g);
}

void Lifter::branch(const Tree &t, Nodes &out) {
  ValuePtr condition = this->condition(t.child(0));
  remember(*condition);
  const Statements yes = flatten(t.child(1)), no = t.children[2] ? flatten(t.child(2)) : Statements{};
  const Tree *a = plainAssignment(yes), *b = plainAssignment(no);
  if (a && b && !isKnown(*a) && !isKnown(*b)) {
    const Target to = target(a->child(0));
    if (sameTarget(to, target(b->child(0)))) { // both branches write it, so its old value is not needed
      ValuePtr x = convert(expression(a->child(1)), to.type), y = convert(expression(b->child(1)), to.type);
      requireSafeUnder(*condition, *x, *a);
      requireSafeUnder(*condition, *y, *b);
      return store(to, "", select(condition, x, y, c_.span(t)), t, out);
    }
  }
  ValuePtr guard = condition;
  const bool single =
      yes.size() == 1 && no.empty() && yes[0]->kind == Kind::Discard && yes[0]->child(0).text != ",";
  if (!single)
    guard = onceComputed(convert(condition, Scalar::Bool), t.child(0), out);
  for (const Tree *s : yes)
    guarded(*s, guard, out);
  const ValuePtr otherwise = no.empty() ? nullptr : makeValue(Value::Kind::Unary, Scalar::Bool, "!", {guard});
  for (const Tree *s : no)
    guarded(*s, otherwise, out);
}

const Tree *Lifter::skipCondition(const Tree &t) const {
  if (t.kind != Kind::If || t.children[2])
    return nullptr;
  const Statements yes = flatten(t.child(1));
  return yes.size() == 1 && yes[0]->kind == Kind::Jump && yes[0]->text == "continue" ? &t.child(0) : nullptr;
}

bool Lifter::skipsRest(const Statements &list, std::size_t from, Nodes &out) {
  ValuePtr guard;
  for (std::size_t i = from; i < list.size(); ++i) {
    const Tree *condition = skipCondition(*list[i]);
    if (!condition && !guard)
      return false;
    if (!condition) {
      guarded(*list[i], guard, out);
      continue;
    }
    ValuePtr goesOn = makeValue(Value::Kind::Unary, Scalar::Bool, "!",
                                {convert(this->condition(*condition), Scalar::Bool)});
    if (guard) {
      requireSafeUnder(*guard, *goesOn, *condition);
      goesOn = binary("&&", Scalar::Bool, guard, goesOn);
    } else {
      remember(*goesOn);
    }
    guard = onceComputed(goesOn, *condition, out);
  }
  return true;
}

/// Lifts one statement of a branch, executed if `guard` holds.
void Lifter::guarded(const Tree &t, const ValuePtr &guard, Nodes &out) {
  if (setsCounter(t)) {
    if (t.kind != Kind::Declare)
      stop(t, "the loop's variable `" + nameOf(t.child(0).child(0).index) + "` is assigned under an `if`");
    return;
  }
  switch (t.kind) {
  case Kind::Declare: { // it is new in the branch, so it may be computed in any case
    const std::size_t before = out.size(), known = known_.size();
    declare(t, out);
    known_.resize(known);
    std::string why;
    if (out.size() == before || safe(*out.back()->value, why))
      return;
    requireSafeUnder(*guard, *out.back()->value, t);
    Node one = *out.back(); // what is not computed has any value
    one.value = select(guard, one.value,
                       makeValue(Value::Kind::Literal, one.value->type, zero(one.value->type), {}), {});
    out.back() = std::make_shared<Node>(std::move(one));
    return;
  }
  case Kind::If: {
    ValuePtr condition = this->condition(t.child(0));
    requireSafe(*condition, t.child(0));
    const ValuePtr inner =
        onceComputed(binary("&&", Scalar::Bool, guard, condition, c_.span(t)), t.child(0), out);
    for (const Tree *s : flatten(t.child(1)))
      guarded(*s, inner, out);
    if (!t.children[2])
      return;
    const ValuePtr rest =
        binary("&&", Scalar::Bool, guard, makeValue(Value::Kind::Unary, Scalar::Bool, "!", {inner}));
    for (const Tree *s : flatten(t.child(2)))
      guarded(*s, rest, out);
    return;
  }
  case Kind::Discard:
    break;
  case Kind::For:
  case Kind::While:
    stop(t, "a loop stands under an `if`");
  default:
    stopKind(t);
  }
  if (setsKnown(t.child(0), guard, out))
    return;
  // Lifts the statement separately, then selects between its result and the old value.
  Nodes plain;
  const auto assigned = assigned_;
  const auto maybe = maybeAssigned_;
  const auto known = known_.size();
  discard(t.child(0), plain);
  assigned_ = assigned;
  maybeAssigned_ = maybe;
  known_.resize(known);
  for (const NodePtr &n : plain) {
    ValuePtr value = n->value;
    if (!n->op.empty()) {
      const Scalar type = std::max(n->value->type, n->target.type, [](Scalar x, Scalar y) {
        auto rank = [](Scalar s) {
          return s == Scalar::F64 ? 4 : s == Scalar::F32 ? 3 : s == Scalar::I64 ? 2 : 1;
        };
        return rank(x) < rank(y);
      });
      const Scalar wide = type == Scalar::U8 || type == Scalar::Bool ? Scalar::I32 : type;
      value = convert(binary(n->op, wide, convert(readBack(n->target), wide), convert(value, wide), n->span),
                      n->target.type);
    }
    guardedStore(t, n->target, value, guard, out);
  }
}

void Lifter::guardedStore(const Tree &t, const Target &to, const ValuePtr &value, const ValuePtr &guard,
                          Nodes &out) {
  if (to.isLocal && !maybeAssigned_.count(to.index)) { // it has no old value that could be lost
    requireSafe(*value, t);
    return store(to, "", value, t, out);
  }
  requireSafeUnder(*guard, *value, t);
  const ValuePtr old = readBack(to);
  if (to.isLocal && !assigned_.count(to.index))
    stop(t, "`" + facts_.locals[to.index].name + "` may be without a value before the `if`");
  requireSafe(*old, t);
  store(to, "", select(guard, value, old, c_.span(t)), t, out);
}

} // namespace pbc::body
