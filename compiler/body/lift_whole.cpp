// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lifts whole numbers that are known at each point, but are no sums there: coordinates that wrap around or stay at a border.
//
//   int l = x - 1; if (l < 0) l += w; return a.cell(l);   =>   x < 1 ? a[x - 1 + w] : a[x - 1]
#include "compiler/body/affine.h"
#include "compiler/body/lift.h"

namespace pbc::body {

using Kind = Tree::Kind;

namespace {

/// More cells of one access are left to the body as it is written: all choices in three dimensions are 27.
constexpr std::size_t kMostCells = 27;

bool mentions(const Tree &t, int variable) {
  if (t.kind == Kind::Variable && t.index == variable)
    return true;
  for (const TreePtr &c : t.children)
    if (c && mentions(*c, variable))
      return true;
  return false;
}

} // namespace

bool Lifter::isChoice(const ValuePtr &v) const {
  bool isAffine = false;
  affineText(*v, facts_, isAffine);
  return isAffine || instances_.pieces(v);
}

/// A condition on where a point is, as one of sums.
ValuePtr Lifter::condition(const Tree &t) {
  ValuePtr v = expression(t);
  return instances_.condition(v).value_or(v);
}

/// The cell as a choice between cells whose coordinates are sums, from this dimension on.
ValuePtr Lifter::cellInPieces(const Value &cell, std::size_t dimension) const {
  std::size_t count = 1;
  std::vector<std::vector<Piece>> pieces;
  for (const ValuePtr &at : cell.operands) {
    bool isAffine = false;
    affineText(*at, facts_, isAffine);
    std::optional<std::vector<Piece>> own;
    if (isAffine)
      own = {{nullptr, at}};
    else
      own = instances_.pieces(at);
    if (!own || (count *= own->size()) > kMostCells)
      throw Obstacle{"the coordinates of a cell are choices between too many sums", cell.span};
    pieces.push_back(std::move(*own));
  }
  const std::function<ValuePtr(Value, std::size_t)> make = [&](Value at, std::size_t d) {
    if (d == pieces.size())
      return std::make_shared<const Value>(std::move(at));
    ValuePtr made;
    for (auto one = pieces[d].rbegin(); one != pieces[d].rend(); ++one) {
      at.operands[d] = one->value;
      ValuePtr here = make(at, d + 1);
      made = !made ? here
                   : makeValue(Value::Kind::Select, cell.type, "", {one->condition, here, made}, cell.span);
    }
    return made;
  };
  return make(cell, dimension);
}

bool Lifter::isKnown(const Tree &assignment) const {
  return assignment.child(0).kind == Kind::Variable && knownNumbers_.contains(assignment.child(0).index);
}

/// From here on, the variable is one of the body's own.
void Lifter::forget(int variable, const Tree &t, Nodes &out) {
  const Variable &v = c_.function.variables[static_cast<std::size_t>(variable)];
  Target target;
  target.isLocal = true;
  target.index = newLocal(v.name, *v.type);
  target.type = *v.type;
  const ValuePtr value = substitutes_.at(variable);
  substitutes_.erase(variable);
  knownNumbers_.erase(variable);
  localOf_[variable] = target.index;
  store(std::move(target), "", value, t, out);
}

/// Whether the expression assigns a variable whose value is known at each point, and is so behind it. `guard`: where it is assigned; null: everywhere.
bool Lifter::setsKnown(const Tree &t, const ValuePtr &guard, Nodes &out) {
  if (guard && t.kind == Kind::Binary && t.text == ",") { // it is not lifted part by part
    const std::set<int> all = knownNumbers_;
    for (const int variable : all)
      if (changesOf(t, variable) > 0)
        forget(variable, t, out);
    return false;
  }
  if ((t.kind != Kind::Assign && t.kind != Kind::Step) || !isKnown(t))
    return false;
  const int variable = t.child(0).index;
  const ValuePtr old = substitutes_.at(variable);
  const Scalar type = *c_.function.variables[static_cast<std::size_t>(variable)].type;
  ValuePtr value;
  if (t.kind == Kind::Step)
    value = binary(t.text == "++" ? "+" : "-", type, convert(old, type), integer(1, type));
  else if (t.text.empty())
    value = convert(expression(t.child(1)), type);
  else if (t.computation && t.text.size() == 1)
    value = convert(binary(t.text, *t.computation, convert(old, *t.computation),
                           convert(expression(t.child(1)), *t.computation), c_.span(t)),
                    type);
  if (value && guard)
    value = makeValue(Value::Kind::Select, type, "", {guard, value, convert(old, type)}, c_.span(t));
  if (!value || !isChoice(value)) {
    forget(variable, t, out);
    return false;
  }
  substitutes_[variable] = value;
  std::erase_if(firstOf_, [&](const auto &one) { return mentions(*one.second, variable); });
  return true;
}

} // namespace pbc::body
