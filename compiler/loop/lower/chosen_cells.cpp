// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/lower/chosen_cells.h"
#include "compiler/loop/lower/body_numbers.h"
#include "compiler/loop/print.h"
#include <algorithm>
#include <optional>
#include <utility>

namespace pbc::loop {
namespace {

using ValueOp = Operation::Op;

bool hasElements(const Expr &e) {
  struct Find : Visitor {
    bool found = false;
    void expr(const Expr &one) override {
      found |= as<Element>(one) != nullptr;
      Visitor::expr(one);
    }
  } find;
  find.expr(e);
  return find.found;
}

void collectNames(const Expr &e, std::map<std::string, Expr> &names) {
  struct Find : Visitor {
    explicit Find(std::map<std::string, Expr> &to) : all(to) {}
    std::map<std::string, Expr> &all;
    void expr(const Expr &one) override {
      if (const Name *name = as<Name>(one))
        all.emplace(name->name, one);
      Visitor::expr(one);
    }
  } find(names);
  find.expr(e);
}

std::optional<Arithmetic::Op> ofIndices(ValueOp op) {
  switch (op) {
  case ValueOp::Less:
    return Arithmetic::Op::Less;
  case ValueOp::LessEqual:
    return Arithmetic::Op::LessEqual;
  case ValueOp::Greater:
    return Arithmetic::Op::Greater;
  case ValueOp::GreaterEqual:
    return Arithmetic::Op::GreaterEqual;
  case ValueOp::Equal:
    return Arithmetic::Op::Equal;
  case ValueOp::And:
    return Arithmetic::Op::And;
  case ValueOp::Or:
    return Arithmetic::Op::Or;
  default:
    return std::nullopt;
  }
}

LinearSum times(const LinearSum &sum, long factor, long constant) {
  LinearSum made;
  made.add(sum, factor);
  made.constant += constant;
  return made;
}

/// The sum without its constant, what is added in front of what is subtracted; null: it is only a constant.
Expr namesOf(const LinearSum &sum, const std::map<std::string, Expr> &names) {
  Expr all;
  for (const bool isAdded : {true, false})
    for (const auto &[name, factor] : sum.factors) {
      if ((factor > 0) != isAdded)
        continue;
      const long size = std::abs(factor);
      const Expr one = size == 1 ? names.at(name) : multiply(integer(size), names.at(name));
      all = !all && isAdded ? one : isAdded ? add(all, one) : subtract(all ? all : integer(0), one);
    }
  return all;
}

Expr text(const LinearSum &sum, const std::map<std::string, Expr> &names) {
  const Expr all = namesOf(sum, names);
  return !all                ? integer(sum.constant)
         : sum.constant == 0 ? all
         : sum.constant > 0  ? add(all, integer(sum.constant))
                             : subtract(all, integer(-sum.constant));
}

} // namespace

void Extreme::consider(const LinearSum &sum) {
  for (LinearSum &known : sums_)
    if (known.factors == sum.factors) {
      isMixed_ |= known.constant != sum.constant;
      known.constant =
          isGreatest_ ? std::max(known.constant, sum.constant) : std::min(known.constant, sum.constant);
      return;
    }
  sums_.push_back(sum);
}

Expr Extreme::value(const std::map<std::string, Expr> &names) const {
  Expr all;
  for (const LinearSum &sum : sums_)
    all = !all          ? text(sum, names)
          : isGreatest_ ? maximum(all, text(sum, names))
                        : minimum(all, text(sum, names));
  return all;
}

/// What a body has besides statements: loops, and names that it declares or changes.
struct ChosenAlike::Contents : Visitor {
  explicit Contents(ChosenAlike &of) : all(of) {}
  ChosenAlike &all;

  void node(const NodePtr &n) override {
    if (const For *loop = as<For>(n)) {
      const auto range = constantRange(*loop);
      all.hasLoops_ |= !range;
      if (range)
        all.counted_[loop->iterator] = *range;
      all.ofBody_.insert(loop->iterator);
    }
    if (const Let *let = as<Let>(n))
      for (const Let::Variable &v : let->variables)
        all.ofBody_.insert(v.name);
    if (const Assign *assign = as<Assign>(n))
      if (const Name *name = as<Name>(assign->target))
        all.ofBody_.insert(name->name);
    Visitor::node(n);
  }
  void expr(const Expr &) override {}
};

std::optional<std::pair<long, long>> ChosenAlike::constantRange(const For &loop) {
  if (!loop.begin || !loop.condition || !isCounting(loop))
    return std::nullopt;
  const auto first = KnownSums().sumOf(loop.begin), end = KnownSums().sumOf(endOf(loop));
  if (!first || !end || !first->factors.empty() || !end->factors.empty() || first->constant >= end->constant)
    return std::nullopt;
  return std::pair(first->constant, end->constant - 1);
}

ChosenAlike::ChosenAlike(std::string variable, const NodePtr &of, Which which)
    : variable_(std::move(variable)), which_(which) {
  Contents(*this).node(of);
  body = hasLoops_ ? of : node(of);
}

Expr ChosenAlike::invariant() const {
  Expr all;
  for (const LinearSum &sum : invariants_) {
    if (sum.factors.empty() && sum.constant >= 0)
      continue;
    LinearSum left, right; // names of what is added on the left
    for (const auto &[name, factor] : sum.factors)
      (factor > 0 ? left : right).factors[name] = std::abs(factor);
    Expr holds;
    if (right.factors.empty()) {
      right.constant = -sum.constant;
      holds = arithmetic(Arithmetic::Op::GreaterEqual, {text(left, names_), text(right, names_)});
    } else { // variables on the left, as programs write it: c0 < h - 1
      left.constant = sum.constant + 1;
      holds = less(text(right, names_), text(left, names_));
    }
    all = all ? arithmetic(Arithmetic::Op::And, {all, holds}) : holds;
  }
  return all;
}

Expr ChosenAlike::expr(const Expr &e) {
  const Operation *choice = as<Operation>(e);
  if (!choice || choice->op != ValueOp::Choose)
    return Mutator::expr(e);
  // An optional cell is there for most points, whatever the condition says.
  const bool isOptional =
      as<Element>(withoutParentheses(choice->operands[1])) && !hasElements(choice->operands[2]);
  const std::optional<Decision> made =
      decision(choice->operands[0], isOptional ? std::optional(true) : std::nullopt);
  if (!made || !isTaken(*made))
    return Mutator::expr(e);
  leaveOut(*made);
  return expr(choice->operands[made->holds != (which_ == Which::Outside) ? 1 : 2]);
}

std::optional<LinearSum> ChosenAlike::sumOf(const Expr &e) {
  const Expr own = ofLoops(e);
  const std::optional<LinearSum> sum = own ? KnownSums().sumOf(own) : std::nullopt;
  if (sum)
    collectNames(own, names_);
  return sum;
}

std::optional<ChosenAlike::Decision> ChosenAlike::decision(const Expr &condition,
                                                           std::optional<bool> wanted) {
  const Expr inner = withoutParentheses(condition);
  const Operation *o = as<Operation>(inner);
  if (!o)
    return std::nullopt;
  if (o->op == ValueOp::Not) {
    std::optional<Decision> made = decision(o->operands[0], wanted ? std::optional(!*wanted) : std::nullopt);
    if (made)
      made->holds = !made->holds;
    return made;
  }
  if (o->op != ValueOp::And && o->op != ValueOp::Or)
    return comparison(inner, wanted);
  const bool decides = o->op == ValueOp::Or; // one part with this value decides
  if (wanted == decides)
    return std::nullopt;
  Decision all{!decides, {}, false};
  for (const Expr &part : o->operands) {
    std::optional<Decision> made = decision(part, wanted);
    if (!made)
      return std::nullopt;
    if (made->holds == decides) {
      made->isExact = false;
      return made;
    }
    all.where.insert(all.where.end(), made->where.begin(), made->where.end());
  }
  return all;
}

std::optional<ChosenAlike::Decision> ChosenAlike::comparison(const Expr &e, std::optional<bool> wanted) {
  const Operation *o = as<Operation>(e);
  if (o->operands.size() != 2)
    return std::nullopt;
  const std::optional<LinearSum> l = sumOf(o->operands[0]), r = sumOf(o->operands[1]);
  if (!l || !r)
    return std::nullopt;
  LinearSum sum = *l;
  sum.add(*r, -1);
  // Sizes are large, and variables larger than a constant.
  long ofSizes = 0, ofVariables = 0;
  for (const auto &[name, factor] : sum.factors) {
    if (ofBody_.contains(name) && !counted_.contains(name))
      return std::nullopt;
    const bool isSize = as<Name>(names_.at(name))->kind == Name::Kind::Value;
    (isSize ? ofSizes : ofVariables) += counted_.contains(name) ? 0 : factor;
  }
  const long sign = ofSizes != 0 ? ofSizes : ofVariables;
  const bool isEquality = o->op == ValueOp::Equal || o->op == ValueOp::NotEqual;
  if ((sign == 0 && (!wanted || isEquality)) || (isEquality && wanted == (o->op == ValueOp::Equal)))
    return std::nullopt;
  Decision made{false, {}, !isEquality};
  switch (o->op) {
  case ValueOp::Less:
  case ValueOp::LessEqual:
    made.holds = wanted.value_or(sign < 0);
    break;
  case ValueOp::Greater:
  case ValueOp::GreaterEqual:
    made.holds = wanted.value_or(sign > 0);
    break;
  case ValueOp::Equal:
    made.holds = false;
    break;
  case ValueOp::NotEqual:
    made.holds = true;
    break;
  default:
    return std::nullopt;
  }
  const bool isLess = o->op == ValueOp::Less || o->op == ValueOp::LessEqual,
             hasEquality = o->op == ValueOp::LessEqual || o->op == ValueOp::GreaterEqual;
  LinearSum where = isEquality             ? times(sum, sign > 0 ? 1 : -1, -1)
                    : isLess == made.holds ? times(sum, -1, hasEquality == made.holds ? 0 : -1)
                                           : times(sum, 1, hasEquality == made.holds ? 0 : -1);
  for (const auto &[name, range] : counted_) { // for all of its values
    const auto at = where.factors.find(name);
    if (at == where.factors.end())
      continue;
    made.isExact = false;
    where.constant += at->second * (at->second > 0 ? range.first : range.second);
    where.factors.erase(at);
  }
  if (const auto own = where.factors.find(variable_);
      own != where.factors.end() && std::abs(own->second) != 1)
    return std::nullopt;
  made.where.push_back(std::move(where));
  return made;
}

/// Whether the condition is one of those that are left out.
bool ChosenAlike::isTaken(const Decision &made) const {
  return which_ == Which::All || std::all_of(made.where.begin(), made.where.end(), [&](const LinearSum &sum) {
           return sum.factors.contains(variable_);
         });
}

void ChosenAlike::leaveOut(const Decision &made) {
  isExact_ &= made.isExact;
  for (LinearSum sum : made.where) {
    const auto own = sum.factors.find(variable_);
    const long factor = own == sum.factors.end() ? 0 : own->second;
    if (factor != 0)
      sum.factors.erase(own);
    if (factor > 0)
      from_.consider(times(sum, -1, 0));
    else if (factor < 0)
      before_.consider(times(sum, 1, 1));
    else {
      const auto known = std::find_if(invariants_.begin(), invariants_.end(),
                                      [&](const LinearSum &other) { return other.factors == sum.factors; });
      if (known == invariants_.end())
        invariants_.push_back(sum);
      else
        known->constant = std::min(known->constant, sum.constant);
    }
  }
}

/// The condition as one of indices; null if it is none.
Expr ChosenPlaces::conditionOfLoops(const Expr &e) const {
  const Operation *o = as<Operation>(withoutParentheses(e));
  const std::optional<Arithmetic::Op> op = o && o->operands.size() == 2 ? ofIndices(o->op) : std::nullopt;
  if (!op)
    return nullptr;
  const bool isJoint = o->op == ValueOp::And || o->op == ValueOp::Or;
  const Expr l = isJoint ? conditionOfLoops(o->operands[0]) : ofLoops(o->operands[0]),
             r = isJoint ? conditionOfLoops(o->operands[1]) : ofLoops(o->operands[1]);
  return l && r ? grouped(arithmetic(*op, {l, r})) : nullptr;
}

Expr ChosenPlaces::expr(const Expr &e) {
  Expr made = Mutator::expr(e);
  const Operation *choice = as<Operation>(made);
  if (!choice || choice->op != ValueOp::Choose)
    return made;
  const Expr yes = withoutParentheses(choice->operands[1]), no = withoutParentheses(choice->operands[2]);
  const Element *a = as<Element>(yes), *b = as<Element>(no);
  if (!a || !b || a->buffer != b->buffer || a->indices.size() != b->indices.size())
    return made;
  Expr condition = withoutParentheses(choice->operands[0]);
  bool isNegated = false;
  for (const Operation *o = as<Operation>(condition);
       o && (o->op == ValueOp::Not || o->op == ValueOp::NotEqual); o = as<Operation>(condition)) {
    isNegated = !isNegated;
    condition = o->op == ValueOp::Not ? withoutParentheses(o->operands[0])
                                      : make({Operation{ValueOp::Equal, o->type, o->operands}});
  }
  condition = conditionOfLoops(condition);
  if (!condition)
    return made;
  Element cell = isNegated ? *b : *a;
  const Element &other = isNegated ? *a : *b;
  for (std::size_t d = 0; d < cell.indices.size(); ++d)
    if (loop::text(nest_, cell.indices[d]) != loop::text(nest_, other.indices[d]))
      cell.indices[d] =
          grouped(arithmetic(Arithmetic::Op::Choose, {condition, cell.indices[d], other.indices[d]}));
  hasAny = true;
  isAlongLoop |= mentions(condition, variable_);
  return make({std::move(cell)});
}

} // namespace pbc::loop
