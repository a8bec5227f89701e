// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/box_conditions.h"
#include "compiler/loop/walk.h"
#include <optional>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

std::optional<long> sum(const std::optional<long> &a, const std::optional<long> &b, long factor) {
  return a && b ? std::optional(*a + factor * *b) : std::nullopt;
}

/// How much the expression grows with the variable; nothing if it is not linear.
std::optional<long> coefficient(const Expr &e, const std::string &name) {
  if (!mentions(e, name))
    return 0;
  if (as<Name>(e))
    return 1;
  if (const Grouped *inner = as<Grouped>(e))
    return coefficient(inner->operand, name);
  const Arithmetic *a = as<Arithmetic>(e);
  if (!a)
    return std::nullopt;
  const auto of = [&](std::size_t k) { return coefficient(a->operands[k], name); };
  switch (a->op) {
  case Op::Add:
  case Op::Further:
    return sum(of(0), of(1), 1);
  case Op::Subtract:
    return sum(of(0), of(1), -1);
  case Op::Negate:
    return sum(0, of(0), -1);
  case Op::Multiply:
    for (const std::size_t k : {0UL, 1UL})
      if (const Integer *factor = as<Integer>(a->operands[k]))
        return sum(0, of(1 - k), factor->value);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

/// l >= r or l > r at all points, or with `sign` -1, l <= r or l < r.
Expr compared(Op op, const Expr &l, const Expr &r, long sign, const Corners &corners) {
  Replacements worst;
  for (const auto &[name, ends] : corners) {
    const std::optional<long> growth = sum(coefficient(l, name), coefficient(r, name), -1);
    if (!growth)
      return nullptr;
    worst.emplace_back(name, sign * *growth >= 0 ? ends.first : ends.second);
  }
  return arithmetic(op, {replaced(l, worst), replaced(r, worst)});
}

Expr bothOf(const Expr &a, const Expr &b) {
  return a && b ? arithmetic(Op::And, {grouped(a), grouped(b)}) : nullptr;
}
Expr eitherOf(const Expr &a, const Expr &b) {
  return a && b ? arithmetic(Op::Or, {grouped(a), grouped(b)}) : a ? a : b;
}

/// Whether it is about values that are computed, not about where a point is.
bool isOfValues(const Expr &condition) {
  if (const Grouped *inner = as<Grouped>(condition))
    return isOfValues(inner->operand);
  return !as<Arithmetic>(condition);
}

/// Takes the branches that the points of the box take.
class Straight {
public:
  Straight(const Corners &corners, std::string other) : corners_(corners), other_(std::move(other)) {}

  /// Null if it cannot be said which these are.
  NodePtr node(const NodePtr &n) {
    if (const Block *b = as<Block>(n)) {
      Block made{{}, b->isScope};
      for (const NodePtr &one : b->nodes)
        if (NodePtr straight = node(one))
          made.nodes.push_back(std::move(straight));
        else
          return nullptr;
      return make({std::move(made)});
    }
    if (const If *branch = as<If>(n))
      return ofBranch(*branch);
    return hasBranches(n) ? nullptr : n;
  }
  Expr condition;
  bool isOther = false; // a branch was taken because of `other`

private:
  NodePtr ofBranch(const If &branch) {
    if (isOfValues(branch.condition)) {
      NodePtr then = node(branch.then), otherwise = branch.otherwise ? node(branch.otherwise) : nullptr;
      return then && (otherwise || !branch.otherwise) ? make({If{branch.condition, then, otherwise}})
                                                      : nullptr;
    }
    // Equalities are those of edges.
    const bool isAsked = !other_.empty() && branch.otherwise && mentions(branch.condition, other_);
    const bool isTaken = isAsked ? isOther && hasEquality(branch.condition) : !hasEquality(branch.condition);
    isOther |= isAsked;
    const Expr holds = isTaken ? holdsInBox(branch.condition, true, corners_) : nullptr;
    const Expr known = holds ? holds : holdsInBox(branch.condition, false, corners_);
    if (!known)
      return nullptr;
    condition = condition ? bothOf(condition, known) : known;
    if (holds)
      return node(branch.then);
    return branch.otherwise ? node(branch.otherwise) : block({});
  }

  static bool hasEquality(const Expr &e) {
    struct Find : Visitor {
      bool found = false;
      void expr(const Expr &one) override {
        const Arithmetic *a = as<Arithmetic>(one);
        found |= a && a->op == Op::Equal;
        Visitor::expr(one);
      }
    } find;
    find.expr(e);
    return find.found;
  }

  static bool hasBranches(const NodePtr &n) {
    struct Find : Visitor {
      bool found = false;
      void node(const NodePtr &one) override {
        found |= as<If>(one) != nullptr;
        Visitor::node(one);
      }
      void expr(const Expr &) override {}
    } find;
    find.node(n);
    return find.found;
  }

  const Corners &corners_;
  const std::string other_;
};

} // namespace

Expr holdsInBox(const Expr &condition, bool truth, const Corners &corners) {
  if (const Grouped *inner = as<Grouped>(condition))
    return holdsInBox(inner->operand, truth, corners);
  const Arithmetic *a = as<Arithmetic>(condition);
  if (!a || a->operands.size() < 2)
    return nullptr;
  const Expr &l = a->operands[0], &r = a->operands[1];
  const auto parts = [&](const auto &join) {
    Expr all = holdsInBox(l, truth, corners);
    for (std::size_t k = 1; k < a->operands.size(); ++k)
      all = join(all, holdsInBox(a->operands[k], truth, corners));
    return all;
  };
  const auto comparison = [&](Op op, Op opposite, long sign) {
    return truth ? compared(op, l, r, sign, corners) : compared(opposite, l, r, -sign, corners);
  };
  switch (a->op) {
  case Op::And:
    return truth ? parts(bothOf) : parts(eitherOf);
  case Op::Or:
    return truth ? parts(eitherOf) : parts(bothOf);
  case Op::Less:
    return comparison(Op::Less, Op::GreaterEqual, -1);
  case Op::LessEqual:
    return comparison(Op::LessEqual, Op::Greater, -1);
  case Op::Greater:
    return comparison(Op::Greater, Op::LessEqual, 1);
  case Op::GreaterEqual:
    return comparison(Op::GreaterEqual, Op::Less, 1);
  case Op::Equal:
    return truth ? bothOf(compared(Op::LessEqual, l, r, -1, corners),
                          compared(Op::GreaterEqual, l, r, 1, corners))
                 : eitherOf(compared(Op::Less, l, r, -1, corners), compared(Op::Greater, l, r, 1, corners));
  default:
    return nullptr;
  }
}

std::optional<StraightBody> straightInBox(const NodePtr &body, const Corners &corners,
                                          const std::string &other) {
  Straight straight(corners, other);
  NodePtr made = straight.node(body);
  return made && (other.empty() || straight.isOther)
             ? std::optional(StraightBody{std::move(made), straight.condition})
             : std::nullopt;
}

} // namespace pbc::loop
