// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/lift.h"
#include "compiler/body/affine.h"
#include "compiler/body/update.h"
#include <algorithm>

namespace pbc::body {
namespace {

using Kind = Tree::Kind;

bool contains(const Tree &t, Kind kind) {
  if (t.kind == kind)
    return true;
  if (t.kind == Kind::Lambda)
    return false; // its returns are not the body's
  return std::any_of(t.children.begin(), t.children.end(),
                     [&](const TreePtr &c) { return c && contains(*c, kind); });
}

NodePtr assignment(Target target, std::string op, ValuePtr value, Span span) {
  auto n = std::make_shared<Node>();
  n->kind = Node::Kind::Assign;
  n->target = std::move(target);
  n->op = std::move(op);
  n->value = std::move(value);
  n->span = span;
  return n;
}

} // namespace

Span RuleContext::span(const Tree &t) const {
  auto span = unit.locate(t.begin, t.end);
  return span ? *span : rule.span;
}

std::string RuleContext::source(const Tree &t) const {
  std::string out;
  for (std::uint32_t i = t.begin; i < t.end; ++i) {
    const char c = unit.text[i] == '\n' || unit.text[i] == '\t' ? ' ' : unit.text[i];
    if (c == ' ' && !out.empty() && out.back() == ' ')
      continue;
    out += c;
    if (out.size() >= 40 && (static_cast<unsigned char>(c) & 0x80) == 0)
      return out + "...";
  }
  return out;
}

Lifter::Lifter(const RuleContext &c, Facts &facts)
    : c_(c), facts_(facts), writes_(c.function.variables.size()), instances_(c.transform, c.rule, facts) {}

void Lifter::stop(const Tree &t, std::string sentence) const {
  throw Obstacle{std::move(sentence), c_.span(t)};
}

void Lifter::stopKind(const Tree &t) const {
  switch (t.kind) {
  case Kind::TransformCall:
    stop(t, "it calls the transform `" + t.text + "`");
  case Kind::Verify:
    stop(t, "it verifies the accuracy");
  case Kind::Spawn:
    stop(t, "it spawns a task");
  case Kind::Sync:
    stop(t, "it waits for spawned tasks");
  case Kind::Jump:
    stop(t, "it has a `" + t.text + "`");
  case Kind::Return:
    stop(t, "it returns before its end");
  case Kind::Lambda:
    stop(t, "it has " + t.text);
  case Kind::While:
  case Kind::Control:
    if (!t.text.empty())
      stop(t, t.text);
    break;
  case Kind::Other:
    if (!t.text.empty())
      stop(t, "it uses " + t.text);
    break;
  default:
    break;
  }
  stop(t, "the analysis does not follow `" + c_.source(t) + "`");
}

void Lifter::run() {
  if (!c_.rule.locals.empty())
    for (const sema::Local &l : c_.rule.locals)
      throw Obstacle{"the rule has a matrix of its own, `" + l.name + "`", l.span};
  countWrites(*c_.function.body, nullptr);
  counters_ = counters(c_.function);
  Nodes nodes;
  statements(flatten(*c_.function.body), nodes, Of::Body);
  facts_.nodes = std::move(nodes);
}

void Lifter::countWrites(const Tree &t, const Tree *loop) {
  if (t.kind == Kind::For || t.kind == Kind::While)
    loop = &t;
  if (t.kind == Kind::Declare)
    loopOf_[t.index] = loop;
  if ((t.kind == Kind::Assign || t.kind == Kind::Step) && t.child(0).kind == Kind::Variable) {
    const int variable = t.child(0).index;
    ++writes_[variable];
    if (const auto own = loopOf_.find(variable); own == loopOf_.end() || own->second != loop)
      assignedInLoops_.insert(variable);
  }
  for (const TreePtr &c : t.children)
    if (c)
      countWrites(*c, loop);
}

void Lifter::statements(const Statements &list, Nodes &out, Of of) {
  const bool isBody = of == Of::Body;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Tree &t = *list[i];
    if (isBody && t.kind == Kind::Return && t.children.empty() && i + 1 == list.size())
      return;
    if (isBody && c_.rule.returnStyle &&
        (t.kind == Kind::Return || (t.kind == Kind::If && contains(t, Kind::Return)))) {
      ValuePtr value = tailValue(list, i);
      Target result;
      result.type = scalarOf(c_.transform.matrices[c_.rule.outputs[0].matrix].element);
      out.push_back(assignment(result, "", convert(value, result.type), c_.span(t)));
      return;
    }
    if (of == Of::Loop && skipsRest(list, i, out))
      return;
    statement(t, out);
  }
}

void Lifter::statement(const Tree &t, Nodes &out) {
  if (setsCounter(t))
    return;
  switch (t.kind) {
  case Kind::Nothing:
    return;
  case Kind::Block:
    return statements(flatten(t), out, Of::Block);
  case Kind::Declare:
    return declare(t, out);
  case Kind::Discard:
    return discard(t.child(0), out);
  case Kind::If:
    return branch(t, out);
  case Kind::For:
  case Kind::While:
    return loop(t, out);
  default:
    stopKind(t);
  }
}

std::string Lifter::unique(const std::string &name) const {
  auto taken = [&](const std::string &n) {
    for (const Parameter &p : c_.text.parameters)
      if (p.name == n)
        return true;
    for (const LocalVariable &l : facts_.locals)
      if (l.name == n)
        return true;
    for (const sema::Matrix &m : c_.transform.matrices)
      if (m.name == n)
        return true;
    return std::find(facts_.iterators.begin(), facts_.iterators.end(), n) != facts_.iterators.end();
  };
  std::string out = name;
  for (int k = 1; taken(out); ++k)
    out = name + "_" + std::to_string(k);
  return out;
}

int Lifter::newLocal(const std::string &name, Scalar type) {
  facts_.locals.push_back({unique(name), type});
  return static_cast<int>(facts_.locals.size()) - 1;
}

void Lifter::declare(const Tree &t, Nodes &out) {
  const Variable &v = c_.function.variables[t.index];
  if (v.isStatic)
    stop(t, "the variable `" + v.name + "` is static");
  if (v.isRegion && !t.children.empty() && !writes_[t.index]) {
    viewOf_[t.index] = view(t.child(0));
    return;
  }
  if (v.isArray)
    stop(t, "it has the local array `" + v.name + "`");
  if (v.isReference)
    stop(t, "it has the reference `" + v.name + "`");
  if (!t.children.empty() && t.child(0).kind == Kind::Lambda)
    stopKind(t.child(0));
  if (!v.type || v.isVolatile)
    stop(t, "the variable `" + v.name + "` has the type `" + v.typeText +
                "`, which is not one of the element types");
  ValuePtr initial = t.children.empty() ? nullptr : convert(expression(t.child(0)), *v.type);
  // `int h = n / 2;`, `int end = std::min(k, n);`: the value itself is used, so that bounds and indices made from it stay affine
  const bool isAssigned = writes_[t.index] > 0;
  if (const auto condition = initial && !isAssigned && *v.type == Scalar::Bool
                                 ? instances_.condition(initial)
                                 : std::nullopt) { // `const bool isFirst = x == 0;`
    substitutes_[t.index] = *condition;
    return;
  }
  if (initial && isInteger(*v.type) &&
      ((!isAssigned && boundText(*initial, facts_)) ||
       (!assignedInLoops_.contains(t.index) && isChoice(initial)))) {
    substitutes_[t.index] = initial;
    if (isAssigned)
      knownNumbers_.insert(t.index);
    return;
  }
  const int local = newLocal(v.name, *v.type);
  localOf_[t.index] = local;
  if (!initial)
    return;
  Target target;
  target.isLocal = true;
  target.index = local;
  target.type = *v.type;
  store(target, "", initial, t, out);
}

Target Lifter::target(const Tree &t) {
  Target out;
  out.span = c_.span(t);
  if (t.kind == Kind::Variable) {
    auto found = localOf_.find(t.index);
    if (found == localOf_.end())
      stop(t, "it changes `" + c_.function.variables[t.index].name + "`");
    out.isLocal = true;
    out.index = found->second;
    out.type = facts_.locals[found->second].type;
    return out;
  }
  if (t.kind != Kind::Parameter && !(t.kind == Kind::Method && t.text == "cell"))
    stop(t, "it assigns to `" + c_.source(t) + "`");
  ValuePtr place = expression(t);
  if (place->kind != Value::Kind::Cell || place->index >= static_cast<int>(c_.rule.outputs.size()))
    stop(t, "it assigns to `" + c_.source(t) + "`, which is not an output");
  out.index = place->index;
  out.indices = place->operands;
  out.type = place->type;
  return out;
}

void Lifter::store(Target target, std::string op, ValuePtr value, const Tree &t, Nodes &out) {
  remember(*value);
  if (target.isLocal) {
    assigned_.insert(target.index);
    maybeAssigned_.insert(target.index);
  } else
    known_.push_back(makeValue(Value::Kind::Cell, target.type, "", target.indices, {}, target.index));
  takeOperator(target, op, value);
  out.push_back(assignment(std::move(target), std::move(op), std::move(value), c_.span(t)));
}

/// Lifts an expression that is used as a statement.
void Lifter::discard(const Tree &t, Nodes &out) {
  if (setsKnown(t, nullptr, out))
    return;
  if (t.kind == Kind::Binary && t.text == ",") {
    discard(t.child(0), out);
    return discard(t.child(1), out);
  }
  if (t.kind == Kind::Step) {
    Target to = target(t.child(0));
    const char *one = to.type == Scalar::F64   ? "1.0"
                      : to.type == Scalar::F32 ? "1.0f"
                      : to.type == Scalar::I64 ? "1L"
                                               : "1";
    const Scalar type = to.type == Scalar::U8 ? Scalar::I32 : to.type;
    ValuePtr by = makeValue(Value::Kind::Literal, type, one, {}, c_.span(t));
    return store(to, t.text == "++" ? "+" : "-", by, t, out);
  }
  if (t.kind == Kind::Function)
    stop(t, "`" + t.text + "` is not known to be a pure function");
  if (t.kind == Kind::Method && (t.text == "useOnCpu" || t.text == "modifyOnCpu"))
    return; // the processor always sees the newest cells
  if (t.kind != Kind::Assign)
    stopKind(t);
  Target to = target(t.child(0));
  ValuePtr value = expression(t.child(1));
  if (t.text.empty())
    return store(to, "", convert(value, to.type), t, out);
  if (!t.computation)
    stop(t, "`" + c_.source(t) + "` computes in a type that is not one of the element types");
  // The value keeps its own type: `f32 += f64` adds in double, as Node defines it.
  if (t.text.size() == 1 && std::string("+-*/").find(t.text) != std::string::npos)
    return store(to, t.text, value, t, out);
  ValuePtr old = convert(readBack(to), *t.computation);
  store(to, "", convert(binary(t.text, *t.computation, old, value, c_.span(t)), to.type), t, out);
}

void lift(const RuleContext &c, Facts &facts) {
  if (!c.function.body) {
    facts.obstacle = "it has an error";
    facts.obstacleSpan = c.rule.span;
    return;
  }
  try {
    Lifter(c, facts).run();
    facts.liftable = true;
  } catch (const Obstacle &o) {
    facts.obstacle = o.sentence;
    facts.obstacleSpan = o.span;
    facts.locals.clear();
    facts.iterators.clear();
    facts.nodes.clear();
  }
}

} // namespace pbc::body
