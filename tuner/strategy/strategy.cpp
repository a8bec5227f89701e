// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/strategy.h"

#include "tuner/strategy/techniques/techniques.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace pbc::tuner {
namespace {

constexpr const Strategy *kStrategies[] = {
#define STRATEGY(name) &(name),
#include "tuner/strategy/techniques/list.inc"
#undef STRATEGY
};

template <typename Range, typename Name>
std::string namesOf(const Range &range, const Name &name) {
  std::vector<std::string> names;
  for (const auto &entry : range)
    names.emplace_back(name(entry));
  return fmt::format("{}", fmt::join(names, ", "));
}

void setOption(ChosenStrategy &chosen, const std::string &word) {
  const Strategy &strategy = *chosen.strategy;
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const auto option = std::find_if(strategy.options.begin(), strategy.options.end(),
                                   [&](const StrategyOption &o) { return o.name == name; });
  if (option == strategy.options.end())
    throw TunerError(fmt::format(
        "--strategy={}: there is no option '{}'\n  help: {}", strategy.name, name,
        strategy.options.empty()
            ? "this strategy has none"
            : "it has " + namesOf(strategy.options, [](const StrategyOption &o) { return o.name; })));
  char *end = nullptr;
  const std::string text = equals == std::string::npos ? "" : word.substr(equals + 1);
  const double value = std::strtod(text.c_str(), &end);
  // NaN is in no range, either.
  if (text.empty() || *end != '\0' || !(value >= option->minimum && value <= option->maximum))
    throw TunerError(fmt::format("--strategy={}: {} must be a number from {} to {}, not '{}'\n  help: {}={}",
                                 strategy.name, name, option->minimum, option->maximum, text, name,
                                 option->initial));
  chosen.values[name] = value;
}

} // namespace

std::span<const Strategy *const> strategies() { return kStrategies; }

ChosenStrategy parseStrategy(const std::string &text) {
  const std::string name = text.substr(0, text.find(':'));
  const auto found = std::find_if(std::begin(kStrategies), std::end(kStrategies),
                                  [&](const Strategy *s) { return s->name == name; });
  if (found == std::end(kStrategies))
    throw TunerError(fmt::format("--strategy={}: there is no such strategy\n  help: there are {}", name,
                                 namesOf(kStrategies, [](const Strategy *s) { return s->name; })));
  ChosenStrategy chosen{*found, {}};
  for (const StrategyOption &option : (*found)->options)
    chosen.values[option.name] = option.initial;
  for (std::size_t begin = name.size() + 1; begin < text.size() + (text.back() == ':');) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    setOption(chosen, text.substr(begin, end - begin));
    begin = end + 1;
  }
  return chosen;
}

std::string strategyHelp() {
  std::string help = "Strategies (--strategy=NAME or NAME:OPTION=VALUE,OPTION=VALUE):\n";
  for (const Strategy *strategy : kStrategies) {
    help += fmt::format("  {:<14}{}\n", strategy->name, strategy->doc);
    for (const StrategyOption &option : strategy->options)
      help += fmt::format("    {:<12}{} (default {})\n", option.name, option.doc, option.initial);
  }
  return help;
}

} // namespace pbc::tuner
