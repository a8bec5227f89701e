// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/group_conditions.h"
#include "compiler/loop/box_conditions.h"
#include "compiler/loop/walk.h"
#include <algorithm>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

bool isName(const Expr &e, const std::string &name) {
  const Name *n = as<Name>(e);
  return n && n->name == name;
}

/// Whether both are the same number, or the same name.
bool areSameValue(const Expr &a, const Expr &b) {
  if (const Name *name = as<Name>(a))
    return isName(b, name->name);
  const Integer *value = as<Integer>(a);
  return value && isInteger(b, value->value);
}

void addPartsOf(const Expr &conjunction, std::vector<Expr> &parts) {
  const Arithmetic *a = as<Arithmetic>(conjunction);
  if (!a || a->op != Op::And) {
    parts.push_back(conjunction);
    return;
  }
  for (const Expr &operand : a->operands)
    addPartsOf(operand, parts);
}

/// What the name is equal to, if the part says that; else null.
Expr valueOf(const Expr &part, const std::string &name) {
  const Arithmetic *a = as<Arithmetic>(part);
  if (!a || a->op != Op::Equal)
    return nullptr;
  for (const std::size_t k : {0UL, 1UL})
    if (isName(a->operands[k], name))
      return a->operands[1 - k];
  return nullptr;
}

bool sayThat(const std::vector<Expr> &parts, const std::string &name, const Expr &value) {
  return isName(value, name) || std::any_of(parts.begin(), parts.end(), [&](const Expr &part) {
           const Expr own = valueOf(part, name);
           return own && areSameValue(own, value);
         });
}

/// Whether the parts say that the first and the last point of the group are the same, and the item's with them.
bool areOnePoint(const std::vector<Expr> &parts, const GroupAxis &axis) {
  return std::any_of(parts.begin(), parts.end(), [&](const Expr &part) {
    const Expr value = valueOf(part, axis.last);
    return value && sayThat(parts, axis.first, value);
  });
}

/// That something is equal to itself.
bool isTrivial(const Expr &part) {
  const Arithmetic *a = as<Arithmetic>(part);
  return a && a->op == Op::Equal && areSameValue(a->operands[0], a->operands[1]);
}

class Without : public Mutator {
public:
  explicit Without(const std::vector<GroupAxis> &axes) : axes_(axes) {}

  Expr expr(const Expr &e) override {
    const Arithmetic *a = as<Arithmetic>(e);
    if (a && a->op == Op::And)
      return conjunction(e);
    if (!a || a->op != Op::Choose)
      return Mutator::expr(e);
    const Replacements known = knownIn(a->operands[0]);
    return arithmetic(Op::Choose,
                      {expr(a->operands[0]), expr(replaced(a->operands[1], known)), expr(a->operands[2])});
  }

private:
  /// The first point for that of the item, along the axes along which they are the same where the condition holds.
  Replacements knownIn(const Expr &condition) const {
    std::vector<Expr> parts;
    addPartsOf(condition, parts);
    Replacements known;
    for (const GroupAxis &axis : axes_)
      if (areOnePoint(parts, axis))
        known.emplace_back(axis.item, index(axis.first));
    return known;
  }

  Expr conjunction(const Expr &e) {
    const Replacements known = knownIn(e);
    std::vector<Expr> parts;
    addPartsOf(e, parts);
    Expr all;
    for (const Expr &part : parts)
      if (const Expr made = replaced(part, known); !isTrivial(made) && !isSaidOfFirst(part, parts, known))
        all = all ? arithmetic(Op::And, {all, expr(made)}) : expr(made);
    return all ? all : replaced(parts.front(), known); // it says no more than what is trivial
  }

  /// Whether the part gives an item the value that another part gives the first point in its place.
  static bool isSaidOfFirst(const Expr &part, const std::vector<Expr> &parts, const Replacements &known) {
    return std::any_of(known.begin(), known.end(), [&](const auto &one) {
      const Expr value = valueOf(part, one.first);
      return value && sayThat(parts, as<Name>(one.second)->name, value);
    });
  }

  const std::vector<GroupAxis> &axes_;
};

bool hasCopies(const NodePtr &n) {
  struct Find : Visitor {
    bool found = false;
    void node(const NodePtr &one) override {
      const GroupCopy *copy = as<GroupCopy>(one);
      found |= copy && !copy->isOfItem;
      Visitor::node(one);
    }
  } find;
  find.node(n);
  return find.found;
}

/// Whether one says that a name is at least so much, and the other that it is at least as much or less.
bool impliesLeast(const Expr &e, const Expr &other) {
  const Arithmetic *a = as<Arithmetic>(e), *b = as<Arithmetic>(other);
  if (!a || !b || a->op != Op::GreaterEqual || b->op != Op::GreaterEqual)
    return false;
  const Name *name = as<Name>(a->operands[0]);
  const Integer *least = as<Integer>(a->operands[1]), *asked = as<Integer>(b->operands[1]);
  return name && isName(b->operands[0], name->name) && least && asked && least->value >= asked->value;
}

/// Whether all items of a group take the branch where the node does anything.
bool areAllThere(const NodePtr &n, const Expr &branch, const Corners &group) {
  const If *own = as<If>(n);
  const Expr all = own && !own->otherwise ? holdsInBox(branch, true, group) : nullptr;
  if (!all)
    return false;
  std::vector<Expr> parts;
  addPartsOf(own->condition, parts);
  return std::any_of(parts.begin(), parts.end(), [&](const Expr &part) { return impliesLeast(part, all); });
}

bool declaresNames(const NodePtr &n) { return as<Let>(n) || as<Array>(n); }

} // namespace

NodePtr withCopiesApart(const If &branch, const std::vector<GroupAxis> &axes) {
  const Block *then = as<Block>(branch.then);
  const std::vector<NodePtr> nodes = then ? then->nodes : std::vector<NodePtr>{branch.then};
  const bool isOfItem = std::any_of(
      axes.begin(), axes.end(), [&](const GroupAxis &axis) { return mentions(branch.condition, axis.item); });
  if (!isOfItem || std::any_of(nodes.begin(), nodes.end(), declaresNames))
    return make({branch});
  Corners group;
  for (const GroupAxis &axis : axes)
    group.emplace(axis.item, std::pair(index(axis.first), index(axis.last)));
  std::vector<NodePtr> all, here;
  NodePtr otherwise = branch.otherwise;
  const auto endBranch = [&] {
    if (!here.empty() || otherwise)
      all.push_back(make({If{branch.condition, block(std::move(here)), std::move(otherwise)}}));
    here.clear();
    otherwise = nullptr;
  };
  for (const NodePtr &n : nodes) {
    if (!hasCopies(n)) {
      here.push_back(n);
      continue;
    }
    if (!areAllThere(n, branch.condition, group))
      return make({branch});
    endBranch();
    all.push_back(n);
  }
  endBranch();
  return block(std::move(all));
}

Expr withoutImpliedItems(const Expr &e, const std::vector<GroupAxis> &axes) {
  return axes.empty() ? e : Without(axes).expr(e);
}

} // namespace pbc::loop
