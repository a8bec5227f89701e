// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/edits.h"
#include <algorithm>
#include <set>

namespace pbc::body {
namespace {

/// Analyses Nodes: which cells of outputs are certainly written so far.
class NodeReads {
public:
  NodeReads(int outputs, const Facts &facts) : outputs_(outputs), facts_(facts) {}

  bool any(const std::vector<NodePtr> &nodes) {
    for (const NodePtr &n : nodes) {
      if (n->kind == Node::Kind::Loop) {
        const std::size_t before = written_.size();
        if (any(n->body))
          return true;
        const auto low = constantOf(*n->lower, facts_), high = constantOf(*n->upper, facts_);
        if (!(low && high && *low < *high))
          written_.resize(before); // perhaps it never ran
        continue;
      }
      if (reads(*n->value))
        return true;
      if (n->target.isLocal)
        continue;
      ValuePtr cell =
          makeValue(Value::Kind::Cell, n->target.type, "", n->target.indices, {}, n->target.index);
      if (!n->op.empty() && !isWritten(*cell))
        return true;
      written_.push_back(cell);
    }
    return false;
  }

private:
  bool isWritten(const Value &cell) const {
    return std::any_of(written_.begin(), written_.end(), [&](const ValuePtr &w) { return same(*w, cell); });
  }
  bool reads(const Value &v) const {
    if (v.kind == Value::Kind::Cell && v.index < outputs_ && !isWritten(v))
      return true;
    return std::any_of(v.operands.begin(), v.operands.end(), [&](const ValuePtr &o) { return reads(*o); });
  }

  int outputs_;
  const Facts &facts_;
  std::vector<ValuePtr> written_;
};

/// Analyses the Tree: any use of an output counts as a read, except storing to it, asking its size, or
/// passing it as an output. A cell that a statement of the body itself has set before no longer has the
/// caller's value.
class TreeReads {
public:
  explicit TreeReads(const RuleContext &c) : c_(c) {}

  bool anyInOrder(const Tree &t) {
    if (t.kind == Tree::Kind::Block)
      return std::any_of(t.children.begin(), t.children.end(),
                         [&](const TreePtr &c) { return c && anyInOrder(*c); });
    if (any(t))
      return true;
    const Tree *set = t.kind == Tree::Kind::Discard ? &t.child(0) : nullptr;
    if (set && set->kind == Tree::Kind::Assign && set->text.empty() &&
        set->child(0).kind == Tree::Kind::Parameter)
      set_.insert(set->child(0).index);
    return false;
  }

private:
  bool any(const Tree &t) const {
    using Kind = Tree::Kind;
    switch (t.kind) {
    case Kind::Parameter: {
      const Parameter &p = c_.text.parameters[t.index];
      return p.role == Parameter::Role::Binding && p.index < static_cast<int>(c_.rule.outputs.size()) &&
             !set_.count(t.index);
    }
    case Kind::Assign:
      if (t.text.empty() && isPart(t.child(0)))
        return anyCoordinate(t.child(0)) || any(t.child(1));
      break;
    case Kind::Method:
      if (t.text == "width" || t.text == "height" || t.text == "depth" || t.text == "size" ||
          t.text == "count")
        return isPart(t.child(0)) ? anyCoordinate(t.child(0)) : anyChild(t);
      break;
    case Kind::Verify:
      return true;
    case Kind::TransformCall: {
      for (std::size_t i = 0; i < t.children.size(); ++i)
        if (isOutput(t, i) && isPart(t.child(i)) ? anyCoordinate(t.child(i)) : any(t.child(i)))
          return true;
      return false;
    }
    default:
      break;
    }
    return anyChild(t);
  }

  bool anyChild(const Tree &t) const {
    return std::any_of(t.children.begin(), t.children.end(), [&](const TreePtr &c) { return c && any(*c); });
  }
  /// Whether it is a parameter, or a cell or region of one.
  static bool isPart(const Tree &t) {
    return t.kind == Tree::Kind::Parameter || (t.kind == Tree::Kind::Method && isPart(t.child(0)));
  }
  bool anyCoordinate(const Tree &t) const {
    if (t.kind != Tree::Kind::Method)
      return false;
    for (std::size_t i = 1; i < t.children.size(); ++i)
      if (any(t.child(i)))
        return true;
    return anyCoordinate(t.child(0));
  }
  /// Whether it is only written. Arguments of a template or an accuracy bin may come before the matrices.
  bool isOutput(const Tree &call, std::size_t argument) const {
    for (const Unit::Callee &c : c_.unit.callees)
      if (c.name == call.text && c.matrices <= call.children.size()) {
        const std::size_t first = call.children.size() - c.matrices;
        return argument >= first && argument < first + c.outputs && !c.updated.contains(argument - first);
      }
    return false;
  }

  const RuleContext &c_;
  std::set<int> set_; // parameters
};

} // namespace

bool readsOutputs(const RuleContext &c, const Facts &facts) {
  if (facts.liftable)
    return NodeReads(static_cast<int>(c.rule.outputs.size()), facts).any(facts.nodes);
  return c.function.body && TreeReads(c).anyInOrder(*c.function.body);
}

} // namespace pbc::body
