// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/lower/known_sums.h"
#include "compiler/kernel/item_values.h"
#include "compiler/loop/convert.h"
#include <algorithm>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

}

std::string placeName(int axis) { return kernel::placeParameter(axis).substr(kOwn.size()); }
std::string itemName(int axis) { return kernel::itemParameter(axis).substr(kOwn.size()); }

void KnownSums::declare(const Let &let) {
  if (let.type || !let.isConstant)
    return;
  for (const Let::Variable &v : let.variables) {
    const bool isPlace = v.name == placeName(0) || v.name == placeName(1) || v.name == placeName(2);
    if (!isPlace)
      declare(v.name, sumOf(v.value).value_or(LinearSum{{{v.name, 1}}, 0}));
  }
}

void KnownSums::declare(const For &loop) {
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

std::optional<LinearSum> KnownSums::sumOf(const Expr &e) const {
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

bool KnownSums::isWithin(const LinearSum &sum, long extent) const {
  long least = sum.constant, most = sum.constant;
  for (const auto &[name, factor] : sum.factors) {
    const auto at = most_.find(name);
    if (at == most_.end())
      return false;
    (factor > 0 ? most : least) += factor * at->second;
  }
  return least >= 0 && most < extent;
}

/// The sums of which an expression is the largest; none of them is larger.
void KnownSums::largestOf(const Expr &e, std::vector<LinearSum> &all) const {
  if (const Grouped *g = as<Grouped>(e))
    return largestOf(g->operand, all);
  if (const Arithmetic *a = as<Arithmetic>(e); a && a->op == Op::Maximum)
    for (const Expr &one : a->operands)
      largestOf(one, all);
  else if (const std::optional<LinearSum> sum = sumOf(e))
    all.push_back(*sum);
}

/// How much larger than `begin` the limit of a loop is at most; nothing if that is not a number.
std::optional<long> KnownSums::mostOf(const Expr &limit, const LinearSum &begin) const {
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

} // namespace pbc::loop
