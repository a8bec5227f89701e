// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/transform/random_steps.h"
#include "compiler/kernel/loops.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pbc::kernel {
namespace {

using Kind = Parameter::Kind;
using script::Value;

class StepMaker {
public:
  StepMaker(Random &r, const Scheduled &kernel) : r_(r), labels_(labelsOf(kernel.schedule.tree)) {
    for (const Buffer &b : kernel.buffers)
      (b.role == Buffer::Role::Local ? locals_ : matrices_).push_back(b.name);
    const std::vector<LoopNode> loops = loopsOf(kernel.schedule.tree);
    std::map<std::vector<std::string>, std::string> before; // by the loops around
    for (std::size_t k = 0; k < loops.size(); ++k) {
      if (k + 1 == loops.size() || loops[k + 1].how ||
          labelsAround(loops[k + 1]).size() <= labelsAround(loops[k]).size())
        likely_.push_back(loops[k].label);
      std::string &other = before[labelsAround(loops[k])];
      if (!other.empty())
        siblings_.push_back({other, loops[k].label});
      other = loops[k].label;
    }
  }

  script::Step make(const Transformation &t) {
    script::Step step;
    step.transformation = t.name;
    hasPair_ = std::count_if(t.parameters.begin(), t.parameters.end(),
                             [](const Parameter &p) { return p.kind == Kind::Loop && !p.isOptional; }) > 1;
    for (const Parameter &p : t.parameters) {
      if (p.isOptional && r_.once(2))
        continue;
      const std::vector<Value> values = valuesOf(p, std::max<std::size_t>(1, step.operands.size()));
      const bool isNumber = p.kind == Kind::Integer || p.kind == Kind::Integers || p.kind == Kind::Condition;
      if (p.isOptional && values.size() == 1)
        step.named.push_back({std::string(p.name), values.front(), {}});
      else
        (isNumber ? step.values : step.operands)
            .insert((isNumber ? step.values : step.operands).end(), values.begin(), values.end());
    }
    if (r_.once(8))
      for (long k = r_.number(1, 4); k > 0; --k)
        step.results.push_back(r_.once(12) && !labels_.empty() ? r_.of(labels_) : fmt::format("l{}", k));
    return step;
  }

private:
  static std::vector<std::string> labelsAround(const LoopNode &loop) {
    std::vector<std::string> around;
    for (isl::schedule_node node = loop.top; node.has_parent(); node = node.parent())
      if (const std::optional<LoopNode> outer = loopAt(node.parent()))
        around.push_back(outer->label);
    return around;
  }

  std::vector<Value> valuesOf(const Parameter &p, std::size_t count) {
    std::vector<Value> values;
    switch (p.kind) {
    case Kind::Loop:
      last_ = !last_.empty() ? nextTo(last_) : hasPair_ && !labels_.empty() ? r_.of(labels_) : label();
      return {script::name(last_)};
    case Kind::Loops:
      for (const std::string &one : several())
        values.push_back(script::name(one));
      return values;
    case Kind::Buffer:
      return {script::name(buffer())};
    case Kind::Names:
      return {script::name(r_.once(2) ? label() : buffer())};
    case Kind::Integer:
      return {integer(p)};
    case Kind::Integers:
      while (count-- > 0)
        values.push_back(integer(p));
      return values;
    case Kind::Word:
      return {script::name(p.words.empty() ? "word" : std::string(r_.of(p.words)))};
    case Kind::Condition:
      return {{condition(), {}}};
    }
    return values;
  }

  /// Innermost loops, and those around one that is realised, are what most realisations are for.
  std::string label() {
    if (!likely_.empty() && r_.once(2))
      return r_.of(likely_);
    return labels_.empty() || r_.once(30) ? "nowhere" : r_.of(labels_);
  }

  /// The loop before it or behind it in the tree, if there is one.
  std::string nextTo(const std::string &loop) {
    const auto at = std::find(labels_.begin(), labels_.end(), loop);
    if (at == labels_.end() || r_.once(6))
      return label();
    const long place = (at - labels_.begin()) + (r_.once(2) ? 1 : -1) * (r_.once(4) ? 2 : 1);
    return labels_[static_cast<std::size_t>(std::clamp(place, 0L, static_cast<long>(labels_.size()) - 1))];
  }

  std::string buffer() { return r_.of(locals_.empty() || r_.once(2) ? matrices_ : locals_); }

  /// One loop, two that follow each other, neighbours in the tree, or some that are not.
  std::vector<std::string> several() {
    if (!siblings_.empty() && r_.once(4))
      return r_.of(siblings_);
    if (labels_.empty() || r_.once(3))
      return {label()};
    std::vector<std::string> some;
    if (r_.once(3)) {
      const long chosen = r_.number(2, 3);
      while (static_cast<long>(some.size()) < chosen && some.size() < labels_.size())
        if (const std::string &one = r_.of(labels_); std::find(some.begin(), some.end(), one) == some.end())
          some.push_back(one);
      std::sort(some.begin(), some.end(), [&](const std::string &a, const std::string &b) {
        return std::find(labels_.begin(), labels_.end(), a) < std::find(labels_.begin(), labels_.end(), b);
      });
    } else {
      const long count = r_.number(1, std::min<long>(3, static_cast<long>(labels_.size())));
      const long first = r_.number(0, static_cast<long>(labels_.size()) - count);
      some.assign(labels_.begin() + first, labels_.begin() + first + count);
    }
    if (r_.once(3))
      r_.shuffle(some);
    return some;
  }

  Value integer(const Parameter &p) {
    if (!p.words.empty() && r_.once(3))
      return script::name(std::string(r_.of(p.words)));
    if (r_.once(30))
      return script::number(r_.once(2) ? p.most : p.least);
    const long nearZero = std::clamp(0L, p.least, p.most);
    return script::number(
        std::clamp(nearZero + r_.number(nearZero == p.least ? 0 : -3, r_.once(3) ? 16 : 4), p.least, p.most));
  }

  script::Sum sum() {
    script::Sum made;
    for (const char *size : {"n", "m"})
      if (r_.once(2))
        made.terms.emplace_back(size, r_.number(1, 2));
    made.constant = r_.number(made.terms.empty() ? 0 : -3, 9);
    return made;
  }

  script::Comparison condition() {
    using Relation = script::Comparison::Relation;
    script::Comparison c;
    c.left.terms = {{r_.once(2) ? "n" : "m", 1}};
    c.relation = r_.of<Relation>({Relation::Less, Relation::LessEqual, Relation::Greater,
                                  Relation::GreaterEqual, Relation::Equal, Relation::NotEqual});
    c.right = sum();
    return c;
  }

  Random &r_;
  std::vector<std::string> labels_, locals_, matrices_, likely_;
  std::vector<std::vector<std::string>> siblings_;
  bool hasPair_ = false; // the step has two loops, and often only these in one order fit
  std::string last_;     // loop that was an argument
};

} // namespace

script::Step randomStep(Random &r, const Scheduled &kernel, const Transformation &t) {
  if (t.alternatives && r.once(2))
    if (const std::vector<script::Step> all = t.alternatives(kernel, Machine{}); !all.empty())
      return r.of(all);
  return StepMaker(r, kernel).make(t);
}

} // namespace pbc::kernel
