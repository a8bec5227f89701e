// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/lower/shared_limits.h"
#include "compiler/loop/lower/pass.h"
#include <optional>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

/// A limit of a loop: for all points, and for this one, which is null if that is the same.
struct SharedLimit {
  Expr ofAll, ofPoint;
};

/// Of a loop that runs while its variable is not beyond the limit, `least` of the one or the other; nothing if points share none.
std::optional<SharedLimit> sharedLimit(const Expr &limit, Op least, const DiffersByPoint &differs) {
  if (!differs(limit))
    return SharedLimit{limit, nullptr};
  if (const Grouped *g = as<Grouped>(limit))
    return sharedLimit(g->operand, least, differs);
  const Arithmetic *a = as<Arithmetic>(limit);
  if (!a || a->op != least)
    return std::nullopt;
  const std::optional<SharedLimit> left = sharedLimit(a->operands[0], least, differs),
                                   right = sharedLimit(a->operands[1], least, differs);
  if (!left && !right)
    return std::nullopt;
  const auto joined = [&](const Expr &one, const Expr &other) {
    return one && other ? arithmetic(least, {one, other}) : one ? one : other;
  };
  return SharedLimit{joined(left ? left->ofAll : nullptr, right ? right->ofAll : nullptr),
                     joined(left ? left->ofPoint : a->operands[0], right ? right->ofPoint : a->operands[1])};
}

bool isVariable(const Expr &e, const std::string &name) {
  const Name *n = as<Name>(e);
  return n && n->name == name;
}

/// The loop of which the node consists; null if it has more or less.
const For *onlyLoop(const NodePtr &n) {
  if (const Block *b = as<Block>(n))
    return b->nodes.size() == 1 ? onlyLoop(b->nodes.front()) : nullptr;
  return as<For>(n);
}

} // namespace

NodePtr asLongForAll(const NodePtr &n, const DiffersByPoint &differs) {
  if (const If *i = as<If>(n); i && !i->otherwise && differs(i->condition) && !hasCopies(i->then)) {
    const For *loop = onlyLoop(i->then);
    if (!loop || differs(loop->begin) || differs(loop->condition))
      return nullptr;
    For made = *loop;
    made.body = make({If{i->condition, loop->body, nullptr}});
    return make({std::move(made)});
  }
  const For *loop = as<For>(n);
  const Arithmetic *runs = loop && loop->condition && loop->begin ? as<Arithmetic>(loop->condition) : nullptr;
  const Integer *step = loop && loop->step ? as<Integer>(loop->step) : nullptr;
  const bool isCounting = runs && (runs->op == Op::Less || runs->op == Op::LessEqual) &&
                          isVariable(runs->operands[0], loop->iterator) &&
                          (!loop->step || (step && step->value == 1));
  if (!isCounting || hasCopies(loop->body))
    return nullptr;
  const std::optional<SharedLimit> begin = sharedLimit(loop->begin, Op::Maximum, differs),
                                   end = sharedLimit(runs->operands[1], Op::Minimum, differs);
  if (!begin || !end || !(begin->ofPoint || end->ofPoint))
    return nullptr;
  Expr isOfPoint;
  const auto require = [&](Expr one) {
    isOfPoint = isOfPoint ? arithmetic(Op::And, {isOfPoint, std::move(one)}) : std::move(one);
  };
  if (begin->ofPoint)
    require(arithmetic(Op::LessEqual, {begin->ofPoint, index(loop->iterator)}));
  if (end->ofPoint)
    require(arithmetic(runs->op, {index(loop->iterator), end->ofPoint}));
  For made = *loop;
  made.begin = begin->ofAll;
  made.condition = arithmetic(runs->op, {index(loop->iterator), end->ofAll});
  made.body = make({If{isOfPoint, loop->body, nullptr}});
  if (!realisedAs<kernel::as::Unroll>(loop))
    made.hint.unrolling = Hint::Unrolling::Never; // few strips have such steps, and blocks of points are long
  return make({std::move(made)});
}

} // namespace pbc::loop
