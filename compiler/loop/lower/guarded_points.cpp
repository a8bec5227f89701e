// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What points of a block compute of a group's memory is computed in front of their conditions, which decide whether it is kept. So an item
// reads neighbouring cells together, as it does where no point has a condition. The memory has a cell at each place of the group.
//
//   for r0 < PB_C0 { place0 = ..; if item0 <= k { s[r0] += A_group[place0, k - c0] } }          for c0 <= k < c0 + 16
//   =>  for r0 < PB_C0 { place0 = ..; let double pb__next = s[r0] + A_group[place0, k - c0]; if item0 <= k { s[r0] = pb__next } }
//
// Without that, each read is an instruction of its own, and the runs of neighbouring items (points.cpp) need their banks twice. Reads alone
// in front of the condition would not do: compilers move what is used once to where it is used.
// Invariant: all indices are in the memory whether the condition holds or not.
#include "compiler/body/value.h"
#include "compiler/kernel/item_values.h"
#include "compiler/loop/convert.h"
#include "compiler/loop/lower/pass.h"
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

/// What lower/points.cpp calls the place of a point in the group.
std::string placeName(int axis) { return kernel::placeParameter(axis).substr(kOwn.size()); }

/// A sum of factor * name, and a constant.
struct LinearSum {
  std::map<std::string, long> factors;
  long constant = 0;

  void add(const LinearSum &other, long times) {
    constant += times * other.constant;
    for (const auto &[name, factor] : other.factors)
      if ((factors[name] += times * factor) == 0)
        factors.erase(name);
  }
};

/// What is known of the names around a node: sums that they are, and how many more steps than the first one loops have at most.
class Known {
public:
  void declare(const std::string &name, LinearSum value) { values_[name] = std::move(value); }

  /// The iterator of a loop: where it begins, and a number of steps. Of a loop that begins at the largest of several sums, the one from
  /// which it is known how many steps there are at most.
  void declare(const For &loop) {
    const std::string steps = "steps of " + loop.iterator;
    values_.erase(loop.iterator);
    most_.erase(steps);
    if (!loop.begin || (loop.step && !as<Integer>(loop.step)))
      return;
    const Arithmetic *runs = loop.condition ? as<Arithmetic>(loop.condition) : nullptr;
    const Name *counted = runs ? as<Name>(runs->operands[0]) : nullptr;
    const bool goesUp = counted && counted->name == loop.iterator && runs->operands.size() == 2 &&
                        (runs->op == Op::Less || runs->op == Op::LessEqual);
    std::vector<LinearSum> begins;
    largestOf(loop.begin, begins);
    for (const LinearSum &begin : begins) {
      const std::optional<long> last = goesUp ? mostOf(runs->operands[1], begin) : std::nullopt;
      if (!last && begins.size() > 1)
        continue;
      LinearSum value = begin;
      value.factors[steps] = 1;
      values_[loop.iterator] = std::move(value);
      if (last)
        most_[steps] = *last - (runs->op == Op::Less ? 1 : 0);
      return;
    }
  }

  std::optional<LinearSum> sumOf(const Expr &e) const {
    if (const Integer *i = as<Integer>(e))
      return LinearSum{{}, i->value};
    if (const Grouped *g = as<Grouped>(e))
      return sumOf(g->operand);
    if (const Name *n = as<Name>(e)) {
      const auto at = values_.find(n->name);
      return at != values_.end() ? at->second : LinearSum{{{n->name, 1}}, 0};
    }
    const Arithmetic *a = as<Arithmetic>(e);
    if (!a || a->operands.empty())
      return std::nullopt;
    std::optional<LinearSum> first = sumOf(a->operands[0]);
    const std::optional<LinearSum> second =
        first && a->operands.size() > 1 ? sumOf(a->operands[1]) : std::nullopt;
    if (!first)
      return std::nullopt;
    LinearSum made;
    if (a->op == Op::Negate) {
      made.add(*first, -1);
      return made;
    }
    if (!second)
      return std::nullopt;
    switch (a->op) {
    case Op::Add:
    case Op::Further:
    case Op::Subtract:
      first->add(*second, a->op == Op::Subtract ? -1 : 1);
      return first;
    case Op::Multiply:
      if (!first->factors.empty() && !second->factors.empty())
        return std::nullopt;
      if (first->factors.empty())
        made.add(*second, first->constant);
      else
        made.add(*first, second->constant);
      return made;
    default:
      return std::nullopt;
    }
  }

  /// Whether a sum of names with known limits is within [0, extent).
  bool isWithin(const LinearSum &sum, long extent) const {
    long least = sum.constant, most = sum.constant;
    for (const auto &[name, factor] : sum.factors) {
      const auto at = most_.find(name);
      if (at == most_.end())
        return false;
      (factor > 0 ? most : least) += factor * at->second;
    }
    return least >= 0 && most < extent;
  }

private:
  /// The sums of which an expression is the largest; none of them is larger.
  void largestOf(const Expr &e, std::vector<LinearSum> &all) const {
    if (const Grouped *g = as<Grouped>(e))
      return largestOf(g->operand, all);
    if (const Arithmetic *a = as<Arithmetic>(e); a && a->op == Op::Maximum)
      for (const Expr &one : a->operands)
        largestOf(one, all);
    else if (const std::optional<LinearSum> sum = sumOf(e))
      all.push_back(*sum);
  }

  /// How much larger than `begin` the limit of a loop is at most; nothing if that is not a number.
  std::optional<long> mostOf(const Expr &limit, const LinearSum &begin) const {
    if (const Grouped *g = as<Grouped>(limit))
      return mostOf(g->operand, begin);
    if (const Arithmetic *a = as<Arithmetic>(limit); a && a->op == Op::Minimum) {
      const std::optional<long> one = mostOf(a->operands[0], begin), other = mostOf(a->operands[1], begin);
      return one && other ? std::min(*one, *other) : one ? one : other;
    }
    std::optional<LinearSum> sum = sumOf(limit);
    if (!sum)
      return std::nullopt;
    sum->add(begin, -1);
    return sum->factors.empty() ? std::optional(sum->constant) : std::nullopt;
  }

  std::map<std::string, LinearSum> values_;
  std::map<std::string, long> most_;
};

/// Whether an expression can be computed at a point that it is not for: all that it reads is in the memory, and no whole number is divided.
class AnywhereCheck : public Visitor {
public:
  AnywhereCheck(const Nest &nest, const Known &known) : nest_(nest), known_(known) {}

  void expr(const Expr &e) override {
    if (const Element *cell = as<Element>(e)) {
      const Matrix &memory = nest_.buffers[static_cast<std::size_t>(cell->buffer)];
      readsMemory = true;
      isAnywhere &= !memory.ofGroup.empty() && !memory.isOfItem && isWithin(*cell, memory);
    }
    if (const Operation *o = as<Operation>(e))
      isAnywhere &=
          !body::isInteger(o->type) || (o->op != Operation::Op::Divide && o->op != Operation::Op::Modulo);
    Visitor::expr(e);
  }

  bool isAnywhere = true, readsMemory = false;

private:
  bool isWithin(const Element &cell, const Matrix &memory) const {
    for (std::size_t d = 0; d < memory.ofGroup.size(); ++d) {
      const kernel::GroupDimension &along = memory.ofGroup[d];
      std::optional<LinearSum> at = known_.sumOf(cell.indices[d]);
      if (!at)
        return false;
      if (along.axis >= 0)
        at->add(LinearSum{{{placeName(along.axis), 1}}, 0}, -along.factor);
      if (!along.sizes.empty() || !known_.isWithin(*at, along.extent))
        return false;
    }
    return true;
  }

  const Nest &nest_;
  const Known &known_;
};

class GuardedPoints : public LoopPass {
public:
  using LoopPass::LoopPass;

  NodePtr node(const NodePtr &n) override {
    if (const For *loop = as<For>(n))
      known_.declare(*loop);
    if (const Let *let = as<Let>(n); let && !let->type && let->isConstant)
      for (const Let::Variable &v : let->variables)
        declare(v);
    if (const If *guard = as<If>(n))
      if (NodePtr made = withValueInFront(*guard))
        return made;
    return Mutator::node(n);
  }

private:
  /// The place of a point in the group stays a name.
  void declare(const Let::Variable &v) {
    for (int axis = 0; axis < 3; ++axis)
      if (v.name == placeName(axis))
        return;
    if (const std::optional<LinearSum> value = known_.sumOf(v.value))
      known_.declare(v.name, *value);
    else
      known_.declare(v.name, LinearSum{{{v.name, 1}}, 0});
  }

  /// A condition of a single assignment to a scalar; null if that cannot be computed in front of it.
  NodePtr withValueInFront(const If &guard) const {
    const Assign *one = guard.otherwise ? nullptr : onlyAssign(guard.then);
    const Local *target = one ? as<Local>(one->target) : nullptr;
    if (!target || !isFloating(target->type))
      return nullptr;
    AnywhereCheck check(lowering_.nest, known_);
    check.expr(one->value);
    if (!check.isAnywhere || !check.readsMemory)
      return nullptr;
    const Expr value =
        one->op ? make({Operation{*one->op, target->type, {one->target, one->value}}}) : one->value;
    Assign kept = *one;
    kept.op.reset();
    kept.value = index(kNext);
    return scope({make({Let{{{kNext, value}}, target->type}}),
                  make({If{guard.condition, make({std::move(kept)}), nullptr}})});
  }

  static bool isFloating(Scalar type) { return type == Scalar::F32 || type == Scalar::F64; }

  static const Assign *onlyAssign(const NodePtr &n) {
    if (const Block *b = as<Block>(n))
      return b->nodes.size() == 1 ? onlyAssign(b->nodes.front()) : nullptr;
    return as<Assign>(n);
  }

  static constexpr const char *kNext = "pb__next";
  Known known_;
};

} // namespace

NodePtr lowerGuardedPoints(const NodePtr &n, Lowering &lowering) { return GuardedPoints(lowering).node(n); }

} // namespace pbc::loop
