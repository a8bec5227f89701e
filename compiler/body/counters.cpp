// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/counters.h"

namespace pbc::body {
namespace {

using Kind = Tree::Kind;

const Tree &withoutDiscard(const Tree &t) { return t.kind == Kind::Discard ? t.child(0) : t; }

bool changesVariable(const Tree &t) {
  return (t.kind == Kind::Step || t.kind == Kind::Assign) && t.child(0).kind == Kind::Variable;
}
/// Which variables count, and which have another use.
class Uses {
public:
  void visit(const Tree &t) {
    const std::optional<CountedLoop> counted = countedLoop(t);
    if (counted && !counted->isDeclaredHere && !within_.contains(counted->variable)) {
      loop(*counted);
      return;
    }
    if (t.kind == Kind::Variable && !within_.contains(t.index))
      others.insert(t.index);
    for (const TreePtr &c : t.children)
      if (c && !(setsVariable(t) && c == t.children.front()))
        visit(*c);
  }

  std::set<int> counting, others;

private:
  void loop(const CountedLoop &l) {
    int changes = changesOf(*l.condition, l.variable) + changesOf(*l.step, l.variable);
    for (const Tree *s : l.body)
      changes += changesOf(*s, l.variable);
    if (l.first)
      visit(*l.first);
    counting.insert(l.variable);
    if (changes != 1)
      others.insert(l.variable);
    within_.insert(l.variable);
    visit(*l.condition);
    visit(*l.step);
    for (const Tree *s : l.body)
      visit(*s);
    within_.erase(l.variable);
  }

  std::set<int> within_; // variables whose loops are around
};

} // namespace

bool setsVariable(const Tree &t) { return changesVariable(t) && t.kind == Kind::Assign && t.text.empty(); }

int changesOf(const Tree &t, int variable) {
  int count = changesVariable(t) && t.child(0).index == variable;
  for (const TreePtr &c : t.children)
    if (c)
      count += changesOf(*c, variable);
  return count;
}

Statements flatten(const Tree &t) {
  if (t.kind == Kind::Nothing)
    return {};
  if (t.kind != Kind::Block)
    return {&t};
  Statements out;
  for (const TreePtr &c : t.children) {
    const Statements inner = flatten(*c);
    out.insert(out.end(), inner.begin(), inner.end());
  }
  return out;
}

std::optional<CountedLoop> countedLoop(const Tree &t) {
  CountedLoop loop;
  if (t.kind == Kind::While) {
    loop.condition = t.children[0].get();
    loop.body = flatten(t.child(1));
    if (loop.body.empty())
      return std::nullopt;
    loop.step = &withoutDiscard(*loop.body.back());
    loop.body.pop_back();
  } else if (t.kind == Kind::For && t.children[1] && t.children[2]) {
    loop.condition = t.children[1].get();
    loop.step = &withoutDiscard(*t.children[2]);
    loop.body = flatten(t.child(3));
  } else {
    return std::nullopt;
  }
  if (!changesVariable(*loop.step))
    return std::nullopt;
  loop.variable = loop.step->child(0).index;
  const Tree *init = t.kind == Kind::For ? t.children[0].get() : nullptr;
  if (!init)
    return loop;
  loop.isDeclaredHere = init->kind == Kind::Declare;
  const Tree &set = withoutDiscard(*init);
  if (loop.isDeclaredHere ? init->index != loop.variable || init->children.empty()
                          : !setsVariable(set) || set.child(0).index != loop.variable)
    return std::nullopt;
  loop.first = loop.isDeclaredHere ? &init->child(0) : &set.child(1);
  return loop;
}

std::set<int> counters(const Function &function) {
  Uses uses;
  uses.visit(*function.body);
  std::set<int> all;
  for (const int variable : uses.counting)
    if (const Variable &v = function.variables[static_cast<std::size_t>(variable)];
        !uses.others.contains(variable) && !v.isStatic && !v.isReference && !v.isVolatile)
      all.insert(variable);
  return all;
}

} // namespace pbc::body
