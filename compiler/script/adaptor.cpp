// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/script/adaptor.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::script {
namespace {

/// Puts arguments in the place of an adaptor's parameters.
class Instantiation {
public:
  Instantiation(const Adaptor &adaptor, const std::vector<Value> &arguments)
      : parameters_(adaptor.parameters), arguments_(arguments) {}

  AdaptorRule operator()(AdaptorRule rule) const {
    for (Step &step : rule.steps) {
      for (auto *values : {&step.operands, &step.values})
        for (Value &value : *values)
          replace(value);
      for (NamedValue &one : step.named)
        replace(one.value);
    }
    for (Condition &condition : rule.conditions) {
      if (const Value *matrix = argumentOf(condition.matrix))
        condition.matrix = text(*matrix);
      condition.predicate = replaced(condition.predicate);
    }
    return rule;
  }

private:
  const Value *argumentOf(const std::string &name) const {
    const auto at = std::find(parameters_.begin(), parameters_.end(), name);
    return at == parameters_.end() ? nullptr
                                   : &arguments_[static_cast<std::size_t>(at - parameters_.begin())];
  }
  /// The expression of C++ with arguments in the place of parameters; names of members are no parameters.
  std::string replaced(const std::string &expression) const {
    const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    std::string all;
    for (std::size_t at = 0; at < expression.size();) {
      std::size_t end = at;
      while (end < expression.size() && isPart(expression[end]))
        ++end;
      const std::string word = expression.substr(at, std::max<std::size_t>(end - at, 1));
      const bool isMember = all.ends_with('.') || all.ends_with("->") || all.ends_with("::");
      const Value *argument = isMember ? nullptr : argumentOf(word);
      all += argument ? text(*argument) : word;
      at += word.size();
    }
    return all;
  }
  void replace(Value &value) const {
    if (const auto *name = std::get_if<Name>(&value.what))
      if (const Value *argument = argumentOf(name->text))
        value.what = argument->what;
  }

  const std::vector<std::string> &parameters_;
  const std::vector<Value> &arguments_;
};

} // namespace

std::vector<AdaptorRule> instantiated(const Adaptor &adaptor, const std::vector<Value> &arguments) {
  std::vector<AdaptorRule> made;
  std::transform(adaptor.rules.begin(), adaptor.rules.end(), std::back_inserter(made),
                 Instantiation(adaptor, arguments));
  return made;
}

std::string text(const Adaptation &use) {
  std::vector<std::string> arguments;
  for (const Value &value : use.arguments)
    arguments.push_back(text(value));
  return fmt::format("{}({})", use.adaptor, fmt::join(arguments, ", "));
}

std::string text(const Condition &condition) {
  return condition.kind == Condition::Kind::BlankIsZero
             ? fmt::format("cond(blank({}).zero = true)", condition.matrix)
             : fmt::format("cond({})", condition.predicate);
}

std::string claim(const Condition &condition) {
  return condition.kind == Condition::Kind::BlankIsZero ? fmt::format("blank({}).zero", condition.matrix)
                                                        : condition.predicate;
}

std::string guardText(const std::vector<Condition> &guards) {
  std::string all;
  for (const Condition &guard : guards)
    all += (all.empty() ? "" : " and ") + claim(guard);
  return all.empty() ? "" : fmt::format("guarded by {}, checked once a call", all);
}

std::string text(const AdaptorRule &rule) {
  std::string all;
  for (const Step &step : rule.steps)
    all += (all.empty() ? "" : " ") + text(step) + ";";
  std::vector<std::string> conditions;
  for (const Condition &condition : rule.conditions)
    conditions.push_back(text(condition));
  if (!conditions.empty())
    all += fmt::format("{}{{{}}}", all.empty() ? "" : " ", fmt::join(conditions, ", "));
  return all;
}

std::string text(const Adaptor &adaptor) {
  std::string all = fmt::format("adaptor {}({}):", adaptor.name, fmt::join(adaptor.parameters, ", "));
  for (std::size_t k = 0; k < adaptor.rules.size(); ++k) {
    const std::string rule = text(adaptor.rules[k]);
    if (k > 0)
      all += "\n  |" + (rule.empty() ? "" : " " + rule);
    else if (!rule.empty())
      all += "\n  " + rule;
  }
  return all + "\n";
}

} // namespace pbc::script
