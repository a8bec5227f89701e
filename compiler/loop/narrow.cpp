// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/narrow.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace pbc::loop {
namespace {

/// Cells of the memory of a group, and places in it.
constexpr double kOfGroup = 1 << 18;
constexpr double kLargest = 0x7fffffff;

/// A number is at most sizes * (the largest size) + more, in absolute value; sizes are at least 1.
struct Bound {
  double sizes = 0, more = 0;
};

Bound operator+(const Bound &l, const Bound &r) { return {l.sizes + r.sizes, l.more + r.more}; }
Bound larger(const Bound &l, const Bound &r) {
  return {std::max(l.sizes, r.sizes), std::max(l.more, r.more)};
}
Bound operator*(const Bound &l, const Bound &r) {
  if (l.sizes > 0 && r.sizes > 0)
    return {INFINITY, 0};
  return {l.sizes * r.more + r.sizes * l.more, l.more * r.more};
}

class Bounds : public Visitor {
public:
  Bound most() const { return most_; }

  void node(const NodePtr &n) override {
    if (const For *loop = as<For>(n))
      return ofLoop(*loop);
    if (const Let *let = as<Let>(n)) {
      for (const Let::Variable &v : let->variables)
        ofName_[v.name] = let->type ? Bound{} : of(v.value);
      return;
    }
    if (const Parallel *p = as<Parallel>(n))
      ofName_[p->iterator] = of(p->begin) + Bound{1, kOfGroup};
    if (const Points *points = as<Points>(n))
      for (const Points::Axis &axis : points->axes) {
        ofName_[axis.item] = larger(of(axis.low), of(axis.high));
        ofName_[axis.place] = {0, kOfGroup};
        ofName_[axis.first] = larger(of(axis.low), of(axis.high)) + Bound{0, kOfGroup};
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
    else
      Visitor::expr(e);
  }

private:
  void ofLoop(const For &loop) {
    // The iterator is below the other sides of the comparisons of its condition, and goes one step beyond.
    const Bound begin = loop.begin ? of(loop.begin) : Bound{};
    ofName_[loop.iterator] = {};
    const Bound end = loop.condition ? of(loop.condition) : Bound{};
    ofName_[loop.iterator] = larger(begin, end) + (loop.step ? of(loop.step) : Bound{0, 1});
    most_ = larger(most_, ofName_[loop.iterator]);
    node(loop.body);
  }

  Bound of(const Expr &e) {
    const Bound own = ofKind(e);
    most_ = larger(most_, own);
    return own;
  }

  Bound ofKind(const Expr &e) {
    if (const auto *number = as<Integer>(e))
      return {0, std::fabs(static_cast<double>(number->value))};
    if (const auto *name = as<Name>(e)) {
      const auto at = ofName_.find(name->name);
      return at == ofName_.end() ? Bound{1, 0} : at->second;
    }
    if (const auto *grouped = as<Grouped>(e))
      return of(grouped->operand);
    const auto *a = as<Arithmetic>(e);
    if (!a) { // a body's own numbers have types of the program
      Visitor::expr(e);
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
      return all[0] * all[1];
    default:
      return most;
    }
  }

  std::map<std::string, Bound> ofName_;
  Bound most_;
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
