// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/narrow.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace pbc::loop {
namespace {

/// Cells of the memory of a group, and places in it; and what the runtime allows for teams (runtime/device/kernel_form.cpp).
constexpr double kOfGroup = 1 << 18, kMostItems = 1024, kMostParts = 1024;
constexpr double kLargest = 0x7fffffff;

/// A number is at most sizes * S + more + parts * P + shares * S / P in absolute value, where S is the largest size and P the number of
/// parts into which a launch cuts the steps of its cells; both are at least 1.
struct Bound {
  double sizes = 0, more = 0, parts = 0, shares = 0;

  bool hasSizes() const { return sizes > 0 || shares > 0; }
  /// The same without P.
  Bound plain() const { return {sizes + shares, more + kMostParts * parts}; }
};

Bound operator+(const Bound &l, const Bound &r) {
  return {l.sizes + r.sizes, l.more + r.more, l.parts + r.parts, l.shares + r.shares};
}
Bound larger(const Bound &l, const Bound &r) {
  return {std::max(l.sizes, r.sizes), std::max(l.more, r.more), std::max(l.parts, r.parts),
          std::max(l.shares, r.shares)};
}
Bound operator*(const Bound &l, const Bound &r) {
  if (l.hasSizes() && r.hasSizes())
    return {INFINITY, 0};
  const auto both = [](double a, double b, double c, double d) { return a * b + c * d; };
  return {both(l.sizes, r.more + kMostParts * r.parts, r.sizes, l.more + kMostParts * l.parts) +
              both(l.shares, r.parts, r.shares, l.parts),
          l.more * r.more, both(l.parts, r.more, r.parts, l.more) + kMostParts * l.parts * r.parts,
          both(l.shares, r.more, r.shares, l.more)};
}
/// A P-th of it.
Bound share(const Bound &b) { return {0, b.more + b.parts, 0, b.sizes + b.shares}; }

bool countsParts(const Expr &e) {
  const Name *name = as<Name>(e);
  return name && name->kind == Name::Kind::Launch && (name->name == "parts" || name->name == "here");
}

/// How many points a tile of a launch in tiles has along an axis (tile_loops.h).
bool isSizeOfTile(const Expr &e) {
  const Name *name = as<Name>(e);
  return name && name->kind == Name::Kind::Launch && name->name.starts_with("tile");
}

const Expr &withoutParentheses(const Expr &e) {
  const Grouped *grouped = as<Grouped>(e);
  return grouped ? withoutParentheses(grouped->operand) : e;
}

/// The operands of such an operation; null if it is another one.
const std::vector<Expr> *operandsOf(Arithmetic::Op op, const Expr &e) {
  const Arithmetic *a = as<Arithmetic>(withoutParentheses(e));
  return a && a->op == op ? &a->operands : nullptr;
}

bool isSameName(const Expr &l, const Expr &r) {
  const Name *a = as<Name>(withoutParentheses(l)), *b = as<Name>(withoutParentheses(r));
  return a && b && a->kind == b->kind && a->name == b->name;
}

constexpr const char *kWarp = "PB_WARP";
constexpr double kItemsOfWarp = 64; // at most, of all devices

/// A product of what is fixed when the kernel is built: how many items a group has, or how many points.
struct OfMachine {
  bool isOne, areItems;
};
OfMachine ofMachineOnly(const Expr &e) {
  if (const std::vector<Expr> *factors = operandsOf(Arithmetic::Op::Multiply, e)) {
    const OfMachine l = ofMachineOnly((*factors)[0]), r = ofMachineOnly((*factors)[1]);
    return {l.isOne && r.isOne, l.areItems && r.areItems};
  }
  const Name *name = as<Name>(withoutParentheses(e));
  const bool isOne = name && name->kind == Name::Kind::Machine && name->name != kWarp;
  return {isOne, isOne && name->name.starts_with("PB_G")};
}

class Bounds : public Visitor {
public:
  Bound most() const { return most_; }

  void node(const NodePtr &n) override {
    if (const For *loop = as<For>(n))
      return ofLoop(*loop);
    if (const Let *let = as<Let>(n))
      return ofLet(*let);
    if (const Assign *assign = as<Assign>(n))
      if (const Name *to = as<Name>(assign->target); to && depths_.contains(to->name))
        return ofVariable(to->name, assign->value);
    if (const Array *array = as<Array>(n)) {
      isOfGroup_[array->name] = array->space == Array::Space::Group;
      if (isOfGroup_[array->name])
        return inMemory(array->extents);
    }
    if (const Parallel *p = as<Parallel>(n))
      ofName_[p->iterator] = ofMany(*p);
    if (const Points *points = as<Points>(n))
      for (const Points::Axis &axis : points->axes) {
        ofName_[axis.item] = larger(of(axis.low), of(axis.high));
        ofName_[axis.place] = {0, kOfGroup};
        ofName_[axis.first] = larger(of(axis.low), of(axis.high)) + Bound{0, kOfGroup};
        ofName_[axis.last] = ofName_[axis.item];
        ofName_[axis.begin] = ofName_[axis.first] + Bound{0, kOfGroup};
        ofName_[axis.point] = {0, kOfGroup};
      }
    if (const Cells *cells = as<Cells>(n))
      for (const Cells::Axis &axis : cells->axes)
        ofName_[axis.item] = larger(of(axis.low), of(axis.high));
    Visitor::node(n);
  }

  void expr(const Expr &e) override {
    if (as<Arithmetic>(e))
      of(e);
    else if (const Partial *partial = as<Partial>(e))
      inMemory(partial->operand);
    else if (const Local *local = as<Local>(e); local && isOfGroup_[local->name])
      inMemory(local->indices);
    else
      Visitor::expr(e);
  }

private:
  /// Of a launch along an axis there are as many groups as it has points, at most, times parts.
  Bound ofMany(const Parallel &p) {
    if (p.over == Parallel::Over::InGroup)
      return of(p.begin) + Bound{0, kMostItems};
    if (p.over == Parallel::Over::Items)
      return of(p.begin) + Bound{0, kOfGroup};
    if (p.over == Parallel::Over::Groups && isInteger(p.begin, 0))
      groups_.push_back(p.iterator);
    return of(p.begin) + Bound{1, kOfGroup};
  }

  void ofLet(const Let &let) {
    for (const Let::Variable &v : let.variables) {
      Bound bound;
      if (let.type)
        expr(v.value);
      else if (let.within == Let::Within::Launch || let.within == Let::Within::Places)
        inMemory(v.value);
      else
        bound = of(v.value);
      if (let.within == Let::Within::Group || let.within == Let::Within::Places)
        bound = {0, kOfGroup};
      ofName_[v.name] = bound;
      depths_.erase(v.name);
      if (!let.type && !let.isConstant)
        depths_[v.name] = depth_;
    }
  }

  /// Another value. In a loop it might grow with each iteration.
  void ofVariable(const std::string &name, const Expr &value) {
    ofName_[name] = larger(ofName_[name], of(value));
    if (depth_ > depths_[name])
      most_.sizes = INFINITY;
  }

  void ofLoop(const For &loop) {
    // The iterator is below the other sides of the comparisons of its condition, and goes one step beyond.
    const Bound begin = loop.begin ? of(loop.begin) : ofName_[loop.iterator];
    ofName_[loop.iterator] = {};
    const Bound end = loop.condition ? of(loop.condition) : Bound{};
    ofName_[loop.iterator] = larger(begin, end);
    ofName_[loop.iterator] = ofName_[loop.iterator] + (loop.step ? of(loop.step) : Bound{0, 1});
    most_ = larger(most_, ofName_[loop.iterator].plain());
    if (loop.condition && loop.step)
      of(loop.condition);
    ++depth_;
    node(loop.body);
    --depth_;
  }

  Bound of(const Expr &e) {
    const Bound own = ofKind(e);
    most_ = larger(most_, own.plain());
    return own;
  }

  /// A place in the memory of a group or of a launch, or how many there are: the sums and products of numbers that are not negative, of
  /// which it consists, are no larger.
  void inMemory(const Expr &e) {
    const Arithmetic *a = as<Arithmetic>(withoutParentheses(e));
    if (!a || (a->op != Arithmetic::Op::Add && a->op != Arithmetic::Op::Multiply)) {
      of(e);
      return;
    }
    inMemory(a->operands);
  }
  void inMemory(const std::vector<Expr> &all) {
    for (const Expr &e : all)
      inMemory(e);
  }

  /// The number of a group among those along an axis, without its part.
  bool isNumberOfGroup(const Expr &e) const {
    const std::vector<Expr> *quotient = operandsOf(Arithmetic::Op::Divide, e);
    const Name *name =
        as<Name>(withoutParentheses(quotient && countsParts((*quotient)[1]) ? quotient->front() : e));
    return name && std::find(groups_.begin(), groups_.end(), name->name) != groups_.end();
  }

  Bound ofKind(const Expr &e) {
    if (const auto *number = as<Integer>(e))
      return {0, std::fabs(static_cast<double>(number->value))};
    if (countsParts(e))
      return {0, 0, 1};
    if (const Name *name = as<Name>(e); name && name->kind == Name::Kind::Machine && name->name == kWarp)
      return {0, kItemsOfWarp};
    if (const OfMachine known = ofMachineOnly(e); known.isOne)
      return {0, known.areItems ? kMostItems : kOfGroup};
    if (const auto *name = as<Name>(e)) {
      const auto at = ofName_.find(name->name);
      return at == ofName_.end() ? Bound{1, 0} : at->second;
    }
    if (const auto *grouped = as<Grouped>(e))
      return of(grouped->operand);
    const auto *a = as<Arithmetic>(e);
    if (!a) { // a body's own numbers have types of the program
      expr(e);
      return {};
    }
    std::vector<Bound> all;
    Bound most;
    for (const Expr &operand : a->operands)
      most = larger(most, all.emplace_back(of(operand)));
    switch (a->op) {
    case Arithmetic::Op::Add:
    case Arithmetic::Op::Further:
    case Arithmetic::Op::Subtract:
    case Arithmetic::Op::FloorDivide:
      return all[0] + all[1];
    case Arithmetic::Op::Multiply:
      return product(*a, all);
    case Arithmetic::Op::Divide:
      return countsParts(a->operands[1]) ? share(all[0]) : all[0];
    case Arithmetic::Op::Modulo:
      return all[1].hasSizes() ? all[0] : all[1];
    default:
      return most;
    }
  }

  Bound product(const Arithmetic &a, const std::vector<Bound> &all) {
    // Groups lie one behind the other: the first point of each is a point of the launch.
    if (isNumberOfGroup(a.operands[0]))
      return {2, kOfGroup};
    // The same of tiles: where each would begin that some group asks for is a number that the runtime compares with the largest size.
    if (isSizeOfTile(a.operands[1]))
      return {1, 0};
    const std::vector<Expr> *quotient = operandsOf(Arithmetic::Op::Divide, a.operands[0]);
    if (quotient && isSameName((*quotient)[1], a.operands[1]))
      return all[0]; // a divisor is at least 1, and the quotient has the dividend's bound
    return all[0] * all[1];
  }

  std::map<std::string, Bound> ofName_;
  std::map<std::string, int>
      depths_; // of numbers that may change: how many loops are around their definition
  std::map<std::string, bool> isOfGroup_; // by array
  std::vector<std::string> groups_;       // iterators
  Bound most_;
  int depth_ = 0;
};

} // namespace

long largestSizeIn32Bits(const NodePtr &n) {
  Bounds bounds;
  bounds.node(n);
  const Bound most = bounds.most();
  if (!std::isfinite(most.sizes))
    return 0;
  // Items beyond the end of the launch compute their own numbers.
  const double room = kLargest - most.more - kOfGroup * std::max(1.0, most.sizes);
  return room <= 0 ? 0 : static_cast<long>(room / std::max(1.0, most.sizes));
}

} // namespace pbc::loop
