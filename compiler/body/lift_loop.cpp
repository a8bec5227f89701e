// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lifts loops that count.
#include "compiler/body/lift.h"
#include <algorithm>
#include <utility>

namespace pbc::body {

using Kind = Tree::Kind;

namespace {

/// `k < n` normalised: the comparison with the loop's variable on its left, and the other side.
struct Bound {
  std::string op;
  const Tree *limit;
};

bool isVariable(const Tree &t, int variable) {
  const Tree *at = &t;
  while (at->kind == Kind::Cast && at->type && isInteger(*at->type) && *at->type != Scalar::Bool &&
         *at->type != Scalar::U8)
    at = &at->child(0);
  return at->kind == Kind::Variable && at->index == variable;
}

std::optional<Bound> bound(const Tree &condition, int variable) {
  if (condition.kind != Kind::Binary)
    return std::nullopt;
  if (isVariable(condition.child(0), variable))
    return Bound{condition.text, &condition.child(1)};
  if (!isVariable(condition.child(1), variable))
    return std::nullopt;
  const std::map<std::string, std::string> mirrored = {
      {"<", ">"}, {">", "<"}, {"<=", ">="}, {">=", "<="}, {"!=", "!="}};
  auto found = mirrored.find(condition.text);
  return found == mirrored.end() ? std::nullopt : std::optional(Bound{found->second, &condition.child(0)});
}

/// The limit that a loop comes to first.
ValuePtr innermost(ValuePtr a, ValuePtr b, bool isUp) {
  const Scalar type = a->type == Scalar::I64 || b->type == Scalar::I64 ? Scalar::I64 : a->type;
  a = convert(a, type), b = convert(b, type);
  ValuePtr less = isUp ? binary("<", Scalar::Bool, a, b) : binary("<", Scalar::Bool, b, a);
  return makeValue(Value::Kind::Select, type, "", {less, a, b});
}

/// False if some part of the condition is no comparison of the variable.
bool bounds(const Tree &condition, int variable, std::vector<Bound> &all) {
  if (condition.kind == Kind::Binary && condition.text == "&&")
    return bounds(condition.child(0), variable, all) && bounds(condition.child(1), variable, all);
  const auto one = bound(condition, variable);
  if (one)
    all.push_back(*one);
  return one.has_value();
}

} // namespace

bool Lifter::setsCounter(const Tree &t) {
  if (t.kind == Kind::Declare && counters_.contains(t.index)) {
    firstOf_.erase(t.index);
    if (!t.children.empty())
      firstOf_[t.index] = &t.child(0);
    return true;
  }
  if (t.kind != Kind::Discard || !setsVariable(t.child(0)) || !counters_.contains(t.child(0).child(0).index))
    return false;
  firstOf_[t.child(0).child(0).index] = &t.child(0).child(1);
  return true;
}

const Tree &Lifter::firstOf(const CountedLoop &loop, const Tree &t) const {
  if (loop.first)
    return *loop.first;
  const auto known = firstOf_.find(loop.variable);
  if (known != firstOf_.end())
    return *known->second;
  if (t.kind == Kind::While)
    stopKind(t);
  stop(t, "it is not known with which value of `" + nameOf(loop.variable) + "` the loop begins");
}

void Lifter::loop(const Tree &t, Nodes &out) {
  if (loopsAround_ >= kMostLoops)
    stop(t, "more than " + std::to_string(kMostLoops) + " loops stand in each other");
  const std::optional<CountedLoop> counted = countedLoop(t);
  const bool isCounter = counted && counters_.contains(counted->variable);
  const Tree *init = t.kind == Kind::For ? t.children[0].get() : nullptr;
  const bool isDeclaredHere = init && init->kind == Kind::Declare && !init->children.empty();
  if (!isDeclaredHere && !isCounter) {
    if (t.kind == Kind::While)
      stopKind(t);
    stop(t, counted ? "the loop's variable `" + nameOf(counted->variable) + "` is used outside of its loops"
                    : "the loop's variable is not declared in the loop");
  }
  const int variable = isDeclaredHere ? init->index : counted->variable;
  const Tree *condition = isDeclaredHere ? t.children[1].get() : counted->condition,
             *step = isDeclaredHere ? t.children[2].get() : counted->step;
  const Tree &begin = isDeclaredHere ? init->child(0) : firstOf(*counted, t);
  const Variable &v = c_.function.variables[variable];
  if (v.type != Scalar::I32 && v.type != Scalar::I64)
    stop(init ? *init : t, "the loop's variable `" + v.name + "` is a `" + v.typeText + "`, not an `int`");
  std::vector<Bound> limits; // `i <= k && i < n` has two
  if (!condition || !bounds(*condition, variable, limits))
    stop(condition ? *condition : t, "the loop's condition is not a comparison of `" + v.name + "`");
  // The step is ++k, k += c or k = k + c; a loop may count down only by one.
  std::optional<long> by;
  if (step && step->kind == Kind::Step && isVariable(step->child(0), variable))
    by = step->text == "++" ? 1 : -1;
  else if (step && step->kind == Kind::Assign && isVariable(step->child(0), variable)) {
    const Tree *amount = &step->child(1);
    std::string op = step->text;
    if (op.empty() && amount->kind == Kind::Binary && isVariable(amount->child(0), variable))
      op = amount->text, amount = &amount->child(1);
    if (op == "+" || op == "-")
      if (auto value = constantOf(*expression(*amount), facts_))
        by = op == "+" ? *value : -*value;
  }
  if (!by || *by == 0)
    stop(step ? *step : t, "the loop's step is not a constant");
  if (isDeclaredHere && writes_[variable] != 1)
    stop(t, "the loop's variable `" + v.name + "` is changed inside the loop");
  const bool up = *by > 0;
  for (Bound &limit : limits) {
    if (limit.op == "!=" && (*by == 1 || *by == -1)) // beyond the limit, the variable would overflow
      limit.op = up ? "<" : ">";
    if (limit.op != (up ? "<" : ">") && limit.op != (up ? "<=" : ">="))
      stop(*condition, "the loop's condition does not fit its step");
  }
  if (!up && *by != -1)
    stop(*step, "the loop counts down by more than one");

  substitutes_.erase(variable); // it may have counted in an earlier loop
  ValuePtr first = convert(expression(begin), *v.type), last;
  requireBound(*first, begin);
  for (const Bound &limit : limits) {
    ValuePtr one = expression(*limit.limit);
    requireBound(*one, *limit.limit);
    if (limit.op.size() == 2)
      one = binary(up ? "+" : "-", one->type, one, integer(1, one->type));
    last = last ? innermost(last, one, up) : one;
  }

  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::Loop;
  node->span = c_.span(t);
  node->iterator = static_cast<int>(facts_.iterators.size());
  facts_.iterators.push_back(unique(v.name));
  auto iterator = std::make_shared<Value>();
  iterator->kind = Value::Kind::Iterator;
  iterator->type = *v.type;
  iterator->index = node->iterator;
  if (up) {
    node->lower = first;
    node->upper = last;
    node->step = *by;
    iterator->nonNegative = first->nonNegative;
    substitutes_[variable] = iterator;
  } else { // k = first, first - 1, ..., last + 1 is first - t for t = 0, 1, ...
    const Scalar type = first->type == Scalar::I64 || last->type == Scalar::I64 ? Scalar::I64 : Scalar::I32;
    node->lower = integer(0, *v.type);
    node->upper = binary("-", type, convert(first, type), convert(last, type));
    iterator->nonNegative = true;
    auto value = std::make_shared<Value>(*binary("-", *v.type, first, iterator));
    const auto floor = constantOf(*last, facts_);
    value->nonNegative = floor && *floor >= -1;
    substitutes_[variable] = value;
  }
  node->variableName = v.name;
  node->variable = substitutes_[variable];
  // A loop may have no iteration, so assignments in it are not certain.
  const auto assigned = assigned_;
  const auto known = known_.size();
  const Statements body = isDeclaredHere ? flatten(t.child(3)) : counted->body;
  for (const auto &[changed, local] : localOf_) // an earlier iteration may have assigned it
    if (std::any_of(body.begin(), body.end(), [&](const Tree *s) { return changesOf(*s, changed) > 0; }))
      maybeAssigned_.insert(local);
  auto firstOf = std::exchange(firstOf_, {}); // in a later iteration, it may have another value
  ++loopsAround_;
  instances_.enter(*node);
  statements(body, node->body,
             t.kind == Kind::For ? Of::Loop : Of::Block); // `continue` would leave out the step of a `while`
  instances_.leave();
  --loopsAround_;
  std::erase_if(firstOf, [&](const auto &one) {
    return one.first == variable ||
           std::any_of(body.begin(), body.end(), [&](const Tree *s) { return changesOf(*s, one.first) > 0; });
  });
  firstOf_ = std::move(firstOf);
  const auto low = constantOf(*node->lower, facts_), high = constantOf(*node->upper, facts_);
  if (!(low && high && *low < *high))
    assigned_ = assigned;
  known_.resize(known);
  out.push_back(std::move(node));
}

} // namespace pbc::body
