// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/compose/rules.h"
#include "compiler/syntax/nearest.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::compose {
namespace {

using script::Adaptation;
using script::Adaptor;
using script::AdaptorRule;

class Expansion {
public:
  Expansion(const std::vector<Adaptor> &all, source::Diagnostics &diagnostics)
      : all_(all), diagnostics_(diagnostics) {}

  std::optional<std::vector<AdaptorRule>> of(const Adaptation &use) {
    const Adaptor *adaptor = findAdaptor(all_, use.adaptor);
    if (!adaptor)
      return unknown(use);
    if (adaptor->parameters.size() != use.arguments.size()) {
      diagnostics_.error(use.span,
                         fmt::format("`{}` takes {} argument{}: {}", adaptor->name,
                                     adaptor->parameters.size(), adaptor->parameters.size() == 1 ? "" : "s",
                                     fmt::join(adaptor->parameters, ", ")));
      return std::nullopt;
    }
    if (const auto at = std::find(inside_.begin(), inside_.end(), adaptor); at != inside_.end())
      return circular(at, use);
    inside_.push_back(adaptor);
    std::optional<std::vector<AdaptorRule>> rules = std::vector<AdaptorRule>();
    for (const AdaptorRule &rule : script::instantiated(*adaptor, use.arguments))
      if (const auto expanded = rules ? expandedRule(rule) : std::nullopt)
        rules->insert(rules->end(), expanded->begin(), expanded->end());
      else
        rules.reset();
    inside_.pop_back();
    return rules;
  }

private:
  std::nullopt_t unknown(const Adaptation &use) {
    std::vector<std::string_view> names;
    for (const Adaptor &a : all_)
      names.push_back(a.name);
    const std::string near = syntax::nearest(use.adaptor, names);
    diagnostics_.error(use.span, fmt::format("no adaptor is called `{}`", use.adaptor))
        .help(fmt::format("{}the adaptors are {}",
                          near.empty() ? "" : fmt::format("did you mean `{}`? ", near),
                          fmt::join(names, ", ")));
    return std::nullopt;
  }

  std::nullopt_t circular(std::vector<const Adaptor *>::const_iterator first, const Adaptation &use) {
    std::vector<std::string> names;
    for (auto at = first; at != inside_.end(); ++at)
      names.push_back(fmt::format("`{}`", (*at)->name));
    auto &error = diagnostics_.error(
        use.span, names.size() == 1
                      ? fmt::format("the adaptor {} uses itself", names.front())
                      : fmt::format("the adaptors {} use each other in a circle", fmt::join(names, " and ")));
    for (auto at = first; at != inside_.end(); ++at)
      error.note((*at)->nameSpan, fmt::format("`{}` is declared here", (*at)->name));
    error.help("an adaptor may use others, but what it stands for must end with transformations");
    return std::nullopt;
  }

  /// A rule for each combination of rules of the adaptors that it uses.
  std::optional<std::vector<AdaptorRule>> expandedRule(const AdaptorRule &rule) {
    std::vector<AdaptorRule> made{{{}, rule.conditions}};
    for (const script::Step &step : rule.steps) {
      if (!findAdaptor(all_, step.transformation)) {
        for (AdaptorRule &one : made)
          one.steps.push_back(step);
        continue;
      }
      const auto inner = of({step.transformation, argumentsOf(step), step.span});
      if (!inner)
        return std::nullopt;
      std::vector<AdaptorRule> longer;
      for (const AdaptorRule &before : made)
        for (const AdaptorRule &behind : *inner) {
          AdaptorRule &both = longer.emplace_back(before);
          both.steps.insert(both.steps.end(), behind.steps.begin(), behind.steps.end());
          both.conditions.insert(both.conditions.end(), behind.conditions.begin(), behind.conditions.end());
        }
      made = std::move(longer);
    }
    return made;
  }

  static std::vector<script::Value> argumentsOf(const script::Step &step) {
    std::vector<script::Value> all = step.operands;
    all.insert(all.end(), step.values.begin(), step.values.end());
    return all;
  }

  const std::vector<Adaptor> &all_;
  source::Diagnostics &diagnostics_;
  std::vector<const Adaptor *> inside_; // whose rules are being expanded
};

} // namespace

const Adaptor *findAdaptor(const std::vector<Adaptor> &all, const std::string &name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Adaptor &a) { return a.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::optional<std::vector<AdaptorRule>> rulesOf(const std::vector<Adaptor> &all, const Adaptation &use,
                                                source::Diagnostics &diagnostics) {
  return Expansion(all, diagnostics).of(use);
}

} // namespace pbc::compose
