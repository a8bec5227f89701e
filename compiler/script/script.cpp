// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/script/script.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::script {
namespace {

std::string text(const Sum &sum) {
  std::string all;
  const auto add = [&](long factor, const std::string &what) {
    const bool isNegative = factor < 0;
    const std::string size = what.empty() ? fmt::format("{}", isNegative ? -factor : factor)
                             : factor == 1 || factor == -1
                                 ? what
                                 : fmt::format("{} * {}", isNegative ? -factor : factor, what);
    all += all.empty() ? (isNegative ? "-" : "") + size : (isNegative ? " - " : " + ") + size;
  };
  for (const auto &[name, factor] : sum.terms)
    add(factor, name);
  if (sum.constant != 0 || all.empty())
    add(sum.constant, "");
  return all;
}

std::string text(const std::vector<Value> &values) {
  std::vector<std::string> texts;
  for (const Value &value : values)
    texts.push_back(text(value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

struct TextOf {
  std::string operator()(long number) const { return std::to_string(number); }
  std::string operator()(const Name &name) const { return name.text; }
  std::string operator()(const Comparison &c) const {
    return fmt::format("{} {} {}", text(c.left), spelling(c.relation), text(c.right));
  }
};

} // namespace

const char *spelling(Comparison::Relation relation) {
  switch (relation) {
  case Comparison::Relation::Less:
    return "<";
  case Comparison::Relation::LessEqual:
    return "<=";
  case Comparison::Relation::Greater:
    return ">";
  case Comparison::Relation::GreaterEqual:
    return ">=";
  case Comparison::Relation::Equal:
    return "==";
  case Comparison::Relation::NotEqual:
    return "!=";
  }
  return "";
}

bool Step::operator==(const Step &other) const {
  return parameters == other.parameters && transformation == other.transformation &&
         operands == other.operands && values == other.values && named == other.named &&
         results == other.results;
}

Value number(long value) { return {value}; }

Value name(const std::string &text) { return {Name{text}}; }

Step step(const std::string &transformation, const std::vector<std::string> &operands,
          const std::vector<long> &values) {
  Step made;
  made.transformation = transformation;
  for (const std::string &operand : operands)
    made.operands.push_back(name(operand));
  for (const long value : values)
    made.values.push_back(number(value));
  return made;
}

Step &with(Step &step, const std::string &name, Value value) {
  step.named.push_back({name, std::move(value)});
  return step;
}

std::string text(const Value &value) { return std::visit(TextOf{}, value.what); }

Step resolved(const Step &step, const ParameterNumbers &numbers) {
  Step made = step;
  made.parameters.clear();
  bool areSizes = step.values.empty();
  for (const StepParameter &p : step.parameters)
    areSizes = areSizes && std::any_of(step.operands.begin(), step.operands.end(),
                                       [&](const Value &v) { return v.what == name(p.name).what; });
  if (areSizes && !step.parameters.empty())
    made.values.assign(step.operands.size(), number(0));
  for (const StepParameter &p : step.parameters) {
    const auto chosen = numbers.find(p.name);
    const Value value{chosen == numbers.end() ? p.numbers.front() : chosen->second, p.span};
    bool isUsed = false;
    const auto put = [&](Value &place) {
      if (place.what == name(p.name).what)
        place.what = value.what, isUsed = true;
    };
    if (areSizes)
      for (std::size_t k = 0; k < step.operands.size(); ++k)
        if (step.operands[k].what == name(p.name).what)
          made.values[k] = value, isUsed = true;
    std::for_each(made.values.begin(), made.values.end(), put);
    for (NamedValue &one : made.named)
      put(one.value);
    if (!isUsed)
      made.named.push_back({p.name, value, p.span});
  }
  return made;
}

std::vector<StepParameter> tunables(const Script &script) {
  std::vector<StepParameter> all;
  for (const Step &step : script)
    for (const StepParameter &p : step.parameters)
      if (p.isTuned && std::none_of(all.begin(), all.end(),
                                    [&](const StepParameter &other) { return other.name == p.name; }))
        all.push_back(p);
  return all;
}

std::vector<ParameterNumbers> choicesOf(const std::vector<StepParameter> &parameters, std::size_t most) {
  std::vector<ParameterNumbers> all{{}};
  for (const StepParameter &p : parameters) {
    std::vector<ParameterNumbers> longer;
    for (const ParameterNumbers &before : all)
      for (const long number : p.numbers)
        if (longer.size() < most) {
          longer.push_back(before);
          longer.back()[p.name] = number;
        }
    all = std::move(longer);
  }
  return all;
}

Script chosen(const Script &script, const ParameterNumbers &numbers) {
  Script made = script;
  for (Step &step : made)
    for (StepParameter &p : step.parameters)
      if (const auto at = numbers.find(p.name); p.isTuned && at != numbers.end())
        p.numbers = {at->second}, p.isTuned = false;
  return made;
}

std::string text(const StepParameter &p) {
  return p.isTuned ? fmt::format("{} = tune({})", p.name, fmt::join(p.numbers, ", "))
                   : fmt::format("{} = {}", p.name, p.numbers.front());
}

std::string text(const Step &step) {
  std::string behind = text(step.values);
  for (const NamedValue &one : step.named)
    behind += fmt::format("{}{} = {}", behind.empty() ? "" : ", ", one.name, text(one.value));
  const std::string operands = text(step.operands);
  const char *separator = behind.empty() || (operands.empty() && step.values.empty()) ? "" : "; ";
  std::string with;
  for (const StepParameter &p : step.parameters)
    with += (with.empty() ? " with " : ", ") + text(p);
  return fmt::format("{}{}({}{}{}){}",
                     step.results.empty() ? "" : fmt::format("({}) = ", fmt::join(step.results, ", ")),
                     step.transformation, operands, separator, behind, with);
}

std::string line(const Script &script) {
  std::string all;
  for (const Step &step : script)
    all += (all.empty() ? "" : "; ") + text(step);
  return all;
}

std::string text(const Script &script, const std::string &indent) {
  std::string all;
  for (const Step &step : script)
    all += indent + text(step) + ";\n";
  return all;
}

} // namespace pbc::script
