// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vector loops in which only the first and the last iterations, or those of the first and the last rows, have to ask whether a cell is there, as
// optional inputs of a rule ask: the iterations in between get a loop of their own, which does not.
//
//   for c1 = 0; c1 < m [vector]  B[c1, c0] = (int(c1) - 1 >= 0 && int(c1) - 1 < int(n) && int(c0) < int(h) ? A[c1 - 1, c0] : 0.0)
//   =>  { c1 = 0; c1_e = m, c1_i = min(max(c1, 1), c1_e), c1_o = max(min(c1_e, n + 1), c1_i)
//         for ; c1 < c1_i  [vector]  B[c1, c0] = (.. ? A[c1 - 1, c0] : 0.0)
//         if c0 < h  for ; c1 < c1_o  [vector]  B[c1, c0] = A[c1 - 1, c0]
//         for ; c1 < c1_e  [vector]  B[c1, c0] = (.. ? A[c1 - 1, c0] : 0.0) }
//
// A loop of constant length, a block of cells that is stored past the caches, is not cut: if it lies between the two places, it does not ask.
//
// Invariant: each iteration computes what it did, with the same operations on the values that it takes, so that results keep their bits.
#include "compiler/loop/lower/body_numbers.h"
#include "compiler/loop/lower/pass.h"
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace pbc::loop {
namespace {

using ValueOp = Operation::Op;

/// A variable or size and a constant; without the name, the constant.
struct Place {
  Expr name;
  long constant = 0;
};

std::string nameOf(const Place &place) { return place.name ? as<Name>(place.name)->name : ""; }

bool operator==(const Place &a, const Place &b) { return nameOf(a) == nameOf(b) && a.constant == b.constant; }

std::optional<Place> placeOf(const Expr &e) {
  if (const Grouped *g = as<Grouped>(e))
    return placeOf(g->operand);
  if (const Integer *i = as<Integer>(e))
    return Place{nullptr, i->value};
  if (as<Name>(e))
    return Place{e};
  const Arithmetic *a = as<Arithmetic>(e);
  if (!a || (a->op != Arithmetic::Op::Add && a->op != Arithmetic::Op::Subtract))
    return std::nullopt;
  const std::optional<Place> l = placeOf(a->operands[0]), r = placeOf(a->operands[1]);
  if (!l || !r || r->name)
    return std::nullopt;
  return Place{l->name, a->op == Arithmetic::Op::Add ? l->constant + r->constant : l->constant - r->constant};
}

Expr text(const Place &place) {
  if (!place.name)
    return integer(place.constant);
  return place.constant == 0  ? place.name
         : place.constant > 0 ? add(place.name, integer(place.constant))
                              : subtract(place.name, integer(-place.constant));
}

/// The greatest of several places, or the least.
class Extreme {
public:
  explicit Extreme(bool isGreatest) : isGreatest_(isGreatest) {}
  void consider(const Place &place) {
    for (Place &known : places_)
      if (nameOf(known) == nameOf(place)) {
        known.constant =
            isGreatest_ ? std::max(known.constant, place.constant) : std::min(known.constant, place.constant);
        return;
      }
    places_.push_back(place);
  }
  /// Null: none.
  Expr value() const {
    Expr all;
    for (const Place &place : places_)
      all = !all ? text(place) : isGreatest_ ? maximum(all, text(place)) : minimum(all, text(place));
    return all;
  }

private:
  const bool isGreatest_;
  std::vector<Place> places_;
};

/// What a body has besides statements: loops, and names that it declares or changes.
struct Contents : Visitor {
  bool hasLoops = false;
  std::set<std::string> names;
  void node(const NodePtr &n) override {
    hasLoops |= as<For>(n) != nullptr;
    if (const Let *let = as<Let>(n))
      for (const Let::Variable &v : let->variables)
        names.insert(v.name);
    if (const Assign *assign = as<Assign>(n))
      if (const Name *name = as<Name>(assign->target))
        names.insert(name->name);
    Visitor::node(n);
  }
  void expr(const Expr &) override {}
};

/// Leaves out conditions, and finds out where they hold: between two places, if what does not depend on the variable holds.
class Inside : public Mutator {
public:
  Inside(std::string variable, std::set<std::string> ofBody)
      : variable_(std::move(variable)), ofBody_(std::move(ofBody)) {}
  Extreme from{true}, before{false};
  Expr invariant; // null: true

  Expr expr(const Expr &e) override {
    const Operation *choice = as<Operation>(e);
    if (choice && choice->op == ValueOp::Choose && as<Element>(withoutParentheses(choice->operands[1])) &&
        areComparisons(choice->operands[0])) {
      leaveOut(choice->operands[0]);
      return choice->operands[1];
    }
    return Mutator::expr(e);
  }

private:
  struct Comparison {
    Arithmetic::Op op;
    Place left, right;
    bool operator==(const Comparison &) const = default;
  };

  std::optional<Comparison> comparison(const Expr &e) const {
    const Operation *o = as<Operation>(withoutParentheses(e));
    if (!o || o->operands.size() != 2 || (o->op != ValueOp::GreaterEqual && o->op != ValueOp::Less))
      return std::nullopt;
    const Expr left = ofLoops(o->operands[0]), right = ofLoops(o->operands[1]);
    const std::optional<Place> l = left ? placeOf(left) : std::nullopt,
                               r = right ? placeOf(right) : std::nullopt;
    if (!l || !r || ofBody_.contains(nameOf(*l)) || ofBody_.contains(nameOf(*r)))
      return std::nullopt;
    return Comparison{o->op == ValueOp::Less ? Arithmetic::Op::Less : Arithmetic::Op::GreaterEqual, *l, *r};
  }

  bool isVariable(const Place &place) const { return nameOf(place) == variable_; }

  bool areComparisons(const Expr &condition) const {
    const Expr inner = withoutParentheses(condition);
    if (const Operation *both = as<Operation>(inner); both && both->op == ValueOp::And)
      return std::all_of(both->operands.begin(), both->operands.end(),
                         [&](const Expr &e) { return areComparisons(e); });
    const std::optional<Comparison> one = comparison(inner);
    return one && !isVariable(one->right);
  }

  void leaveOut(const Expr &condition) {
    const Expr inner = withoutParentheses(condition);
    if (const Operation *both = as<Operation>(inner); both && both->op == ValueOp::And) {
      for (const Expr &one : both->operands)
        leaveOut(one);
      return;
    }
    const Comparison one = *comparison(inner);
    if (isVariable(one.left)) {
      const Place place{one.right.name, one.right.constant - one.left.constant};
      (one.op == Arithmetic::Op::Less ? before : from).consider(place);
      return;
    }
    if (std::find(asked_.begin(), asked_.end(), one) != asked_.end())
      return;
    asked_.push_back(one);
    const Expr holds = arithmetic(one.op, {text(one.left), text(one.right)});
    invariant = invariant ? arithmetic(Arithmetic::Op::And, {invariant, holds}) : holds;
  }

  const std::string variable_;
  const std::set<std::string> ofBody_;
  std::vector<Comparison> asked_; // of `invariant`
};

class Insides : public LoopPass {
public:
  using LoopPass::LoopPass;

  NodePtr node(const NodePtr &n) override {
    const For *loop = as<For>(n);
    const bool isVector =
        realisedAs<kernel::as::Vector>(loop) || (loop && loop->hint.vectors == Hint::Vectors::Always);
    if (!isVector || !isCounting(*loop))
      return Mutator::node(n);
    Contents contents;
    contents.node(loop->body);
    if (contents.hasLoops)
      return Mutator::node(n);
    Inside inside(loop->iterator, std::move(contents.names));
    const NodePtr body = inside.node(loop->body);
    if (body == loop->body)
      return n;
    return constantLength(*loop) ? chosen(*loop, body, inside) : cut(*loop, body, inside);
  }

private:
  /// Whether the end is the begin and a constant, written so.
  static bool constantLength(const For &loop) {
    const Arithmetic *end = loop.begin ? as<Arithmetic>(endOf(loop)) : nullptr;
    return end && end->op == Arithmetic::Op::Add && end->operands[0] == loop.begin &&
           as<Integer>(end->operands[1]);
  }

  static Expr both(const Expr &a, const Expr &b) {
    return a && b ? arithmetic(Arithmetic::Op::And, {a, b}) : a ? a : b;
  }

  static NodePtr chosen(const For &loop, const NodePtr &body, const Inside &inside) {
    const Expr from = inside.from.value(), before = inside.before.value();
    Expr isInside = from ? arithmetic(Arithmetic::Op::LessEqual, {from, loop.begin}) : nullptr;
    isInside =
        both(isInside, before ? arithmetic(Arithmetic::Op::LessEqual, {endOf(loop), before}) : nullptr);
    For straight = loop;
    straight.body = body;
    return make({If{both(isInside, inside.invariant), make({std::move(straight)}), make({loop})}});
  }

  static NodePtr cut(const For &loop, const NodePtr &body, const Inside &inside) {
    const std::string begins = loop.iterator + "_i", ends = loop.iterator + "_o";
    std::vector<NodePtr> all;
    Expr end = endOf(loop);
    if (loop.begin)
      end = declareCounter(all, loop);
    const Expr at = index(loop.iterator), from = inside.from.value(), before = inside.before.value();
    all.push_back(make({Let{{{begins, from ? minimum(maximum(at, from), end) : at},
                             {ends, before ? maximum(minimum(end, before), index(begins)) : end}}}}));
    const auto part = [&](const Expr &until, const NodePtr &of) {
      For one = goOn(loop.iterator, until, of, loop.hint);
      one.how = loop.how;
      return make({std::move(one)});
    };
    if (from)
      all.push_back(part(index(begins), loop.body));
    const NodePtr straight = part(index(ends), body);
    all.push_back(inside.invariant ? make({If{inside.invariant, straight, nullptr}}) : straight);
    all.push_back(part(end, loop.body));
    return loop.begin ? scope(std::move(all)) : block(std::move(all));
  }
};

} // namespace

NodePtr lowerInsides(const NodePtr &n, Lowering &lowering) {
  return lowering.target.isDevice || !lowering.target.unitStride ? n : Insides(lowering).node(n);
}

} // namespace pbc::loop
