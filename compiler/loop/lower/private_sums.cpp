// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of an item's points need no condition where what they come to is used under the same one: those of other points are computed, too, and
// nobody looks at them. So all points of a block are summed up alike, without a choice for each.
//
//   for r0 < PB_C0 { if item0 <= high { s[r0] = 0 } }  for k { for r0 { if item0 <= high { s[r0] += A_group[place0, k] } } }
//   for r0 { if item0 <= high { C[item0] = s[r0] } }
//   =>  for r0 { s[r0] = 0 }  for k { for r0 { s[r0] += A_group[place0, k] } }  for r0 { if item0 <= high { C[item0] = s[r0] } }
//
// Invariant: what is computed without its condition reads the group's memory and variables of the item only, inside of what they have.
#include "compiler/loop/lower/anywhere.h"
#include "compiler/loop/lower/pass.h"
#include <algorithm>
#include <map>
#include <string>

namespace pbc::loop {
namespace {

bool areSame(const Expr &a, const Expr &b);

bool areSame(const std::vector<Expr> &a, const std::vector<Expr> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Expr &x, const Expr &y) { return areSame(x, y); });
}

/// The same condition in the same words.
bool areSame(const Expr &a, const Expr &b) {
  if (const Grouped *g = as<Grouped>(a))
    return areSame(g->operand, b);
  if (const Grouped *g = as<Grouped>(b))
    return areSame(a, g->operand);
  if (const Integer *x = as<Integer>(a))
    return as<Integer>(b) && as<Integer>(b)->value == x->value;
  if (const Name *x = as<Name>(a))
    return as<Name>(b) && as<Name>(b)->name == x->name;
  const Arithmetic *x = as<Arithmetic>(a), *y = as<Arithmetic>(b);
  return x && y && x->op == y->op && areSame(x->operands, y->operands);
}

/// Whether a condition says of a point the same at all places: it names no variable of a loop but the point itself.
class OfPointsCheck : public Visitor {
public:
  void expr(const Expr &e) override {
    if (const Name *n = as<Name>(e))
      isOfPoints &= n->kind != Name::Kind::Index || isOfPoint(e);
    else if (!as<Integer>(e) && !as<Arithmetic>(e) && !as<Grouped>(e))
      isOfPoints = false;
    Visitor::expr(e);
  }
  bool isOfPoints = true;
};

bool isOfPoints(const Expr &condition) {
  OfPointsCheck check;
  check.expr(condition);
  return check.isOfPoints;
}

/// The conditions under which each variable of the item is used, other than for its own next value.
class Uses : public Visitor {
public:
  void node(const NodePtr &n) override {
    if (const If *guard = as<If>(n); guard && !guard->otherwise) {
      Visitor::expr(guard->condition);
      around_.push_back(guard->condition);
      node(guard->then);
      around_.pop_back();
      return;
    }
    const Assign *assign = as<Assign>(n);
    const Local *target = assign ? as<Local>(assign->target) : nullptr;
    const std::string before = own_;
    own_ = target ? target->name : "";
    Visitor::node(n);
    own_ = before;
  }

  void expr(const Expr &e) override {
    if (const Local *l = as<Local>(e); l && l->name != own_)
      use(l->name);
    Visitor::expr(e);
  }

  bool areAllUnder(const std::string &variable, const Expr &condition) const {
    const auto at = conditions_.find(variable);
    return at != conditions_.end() && contains(at->second, condition);
  }

private:
  static bool contains(const std::vector<Expr> &all, const Expr &one) {
    return std::any_of(all.begin(), all.end(), [&](const Expr &other) { return areSame(one, other); });
  }

  void use(const std::string &variable) {
    const auto [at, isFirst] = conditions_.try_emplace(variable, around_);
    if (!isFirst)
      std::erase_if(at->second, [&](const Expr &c) { return !contains(around_, c); });
  }

  std::vector<Expr> around_;
  std::map<std::string, std::vector<Expr>> conditions_; // common to all uses so far
  std::string own_;                                     // the variable that is assigned
};

class PrivateSums : public LoopPass {
public:
  PrivateSums(Lowering &lowering, const Uses &uses) : LoopPass(lowering), uses_(uses) {}

  NodePtr node(const NodePtr &n) override {
    if (const For *loop = as<For>(n))
      known_.declare(*loop);
    if (const Let *let = as<Let>(n))
      known_.declare(*let);
    if (const If *guard = as<If>(n); guard && needsNone(*guard))
      return guard->then;
    return Mutator::node(n);
  }

private:
  bool needsNone(const If &guard) const {
    const bool isOfItem = isOfPoint(guard.condition) && isOfPoints(guard.condition);
    const Assign *one = guard.otherwise || !isOfItem ? nullptr : onlyAssign(guard.then);
    const Local *target = one ? as<Local>(one->target) : nullptr;
    if (!target || (target->type != Scalar::F32 && target->type != Scalar::F64) ||
        !uses_.areAllUnder(target->name, guard.condition))
      return false;
    AnywhereCheck check(lowering_.nest, known_, AnywhereCheck::Others::Some);
    check.expr(one->value);
    return check.isAnywhere;
  }

  static const Assign *onlyAssign(const NodePtr &n) {
    if (const Block *b = as<Block>(n))
      return b->nodes.size() == 1 ? onlyAssign(b->nodes.front()) : nullptr;
    return as<Assign>(n);
  }

  const Uses &uses_;
  KnownSums known_;
};

} // namespace

NodePtr lowerPrivateSums(const NodePtr &n, Lowering &lowering) {
  Uses uses;
  uses.node(n);
  return PrivateSums(lowering, uses).node(n);
}

} // namespace pbc::loop
