// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/edits.h"
#include <algorithm>

namespace pbc::body {
namespace {

using Kind = Tree::Kind;

class EditFinder {
public:
  EditFinder(const RuleContext &c, Facts &facts, source::Diagnostics &d) : c_(c), facts_(facts), d_(d) {}

  void walk(const Tree &t, const Tree *parent, const Tree *insideOf) {
    switch (t.kind) {
    case Kind::Lambda:
      insideOf = &t;
      break;
    case Kind::Return:
      if (!insideOf)
        add(Edit::Kind::Return, t, nullptr);
      break;
    case Kind::Sync:
      marker(Edit::Kind::Sync, t, nullptr, parent, insideOf);
      break;
    case Kind::Verify:
      verify(t, parent, insideOf);
      break;
    case Kind::Spawn: {
      const Tree &call = t.child(0);
      if (call.kind == Kind::Other && call.text == "an error")
        return;
      if (call.kind != Kind::TransformCall) {
        d_.error(c_.span(t), "only a call of a transform can be spawned")
            .help("write `spawn F(outputs..., inputs...);` where F is a transform");
        break;
      }
      marker(Edit::Kind::Spawn, t, &call, parent, insideOf);
      for (const TreePtr &argument : call.children)
        walk(*argument, &call, insideOf);
      return;
    }
    case Kind::TransformCall:
      marker(Edit::Kind::Call, t, &t, parent, insideOf);
      break;
    case Kind::TransformName:
      d_.error(c_.span(t), "the transform `" + t.text + "` can only be called")
          .help("a call is a statement: `" + t.text + "(outputs..., inputs...);`");
      break;
    default:
      break;
    }
    for (const TreePtr &child : t.children)
      if (child)
        walk(*child, &t, insideOf);
  }

private:
  /// The metric reads whole outputs: they must be complete, and nothing else may write them meanwhile.
  void verify(const Tree &t, const Tree *parent, const Tree *insideOf) {
    if (c_.transform.metric.empty() || c_.transform.bins.empty()) {
      d_.error(c_.span(t), "there is no accuracy to verify: `" + c_.transform.family +
                               "` has no accuracy_metric, or no accuracy_bins")
          .help("declare both in the transform's header");
      return;
    }
    if (!c_.rule.freeVariables.empty()) {
      d_.error(c_.span(t), "`verify_accuracy` stands in a rule that computes a part of the outputs")
          .note(c_.rule.headerSpan, "the rule runs once for each " + c_.rule.freeVariables.front())
          .help("move it into a rule that computes whole outputs: `to(B b) from(A a) { ... }`");
      return;
    }
    if (insideOf || !parent || parent->kind != Kind::Discard) {
      d_.error(c_.span(t), "`verify_accuracy` is a statement of the rule's body itself")
          .help("write `verify_accuracy;` on its own: a run that misses the target ends with a message");
      return;
    }
    add(Edit::Kind::Verify, t, nullptr);
    if (std::find(facts_.callees.begin(), facts_.callees.end(), c_.transform.metric) == facts_.callees.end())
      facts_.callees.push_back(c_.transform.metric);
  }

  void marker(Edit::Kind kind, const Tree &t, const Tree *call, const Tree *parent, const Tree *insideOf) {
    if (insideOf) {
      d_.error(c_.span(t),
               (call ? "the transform `" + call->text + "` is called" : std::string("`sync` stands")) +
                   " inside " + insideOf->text)
          .help("a transform call is a statement of the rule's body itself: move it out");
      return;
    }
    if (!parent || parent->kind != Kind::Discard) {
      if (!call)
        d_.error(c_.span(t), "`sync` is a statement").help("write `sync;` on its own");
      else
        d_.error(c_.span(t), "a call of a transform is a statement; it has no value")
            .note(c_.span(*call), "`" + call->text + "` is a transform")
            .help("declare a variable or a matrix, call `" + call->text +
                  "` with it as an output, then use it");
      return;
    }
    add(kind, t, call);
  }

  void add(Edit::Kind kind, const Tree &t, const Tree *call) {
    const std::uint32_t base = c_.text.bodyBegin;
    if (t.begin < base || t.end > c_.text.bodyEnd || t.begin >= t.end)
      return;
    Edit e{kind, t.begin - base, t.end - base};
    if (call) {
      e.calleeBegin = call->calleeBegin - base, e.calleeEnd = call->calleeEnd - base;
      e.argumentsBegin = call->argumentsBegin - base, e.argumentsEnd = call->argumentsEnd - base;
      e.callee = call->text;
      e.argumentCount = static_cast<int>(call->children.size());
      if (std::find(facts_.callees.begin(), facts_.callees.end(), e.callee) == facts_.callees.end())
        facts_.callees.push_back(e.callee);
    }
    facts_.edits.push_back(std::move(e));
  }

  const RuleContext &c_;
  Facts &facts_;
  source::Diagnostics &d_;
};

} // namespace

void findEdits(const RuleContext &c, Facts &facts, source::Diagnostics &d) {
  if (!c.function.body)
    return;
  EditFinder(c, facts, d).walk(*c.function.body, nullptr, nullptr);
  std::sort(facts.edits.begin(), facts.edits.end(),
            [](const Edit &a, const Edit &b) { return a.begin < b.begin; });
}

} // namespace pbc::body
