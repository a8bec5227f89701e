// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/travel/explain.h"

#include "tuner/base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {
namespace {

using nlohmann::ordered_json;

std::string rangeOf(const Selector &selector, int level) {
  const long low = selector.lowest(level), below = selector.levels()[static_cast<std::size_t>(level)].below;
  if (selector.levels().size() == 1)
    return "always";
  if (below == kNoLimit)
    return fmt::format("n from {} on", low);
  return low == 0 ? fmt::format("n below {}", below) : fmt::format("n from {} to {}", low, below - 1);
}

std::string choiceInWords(const Site &site, const Selector &selector) {
  std::string text = fmt::format("{}{}\n", site.title(), site.doc.empty() ? "" : ": " + site.doc);
  for (int level = 0; level < static_cast<int>(selector.levels().size()); ++level) {
    const int use = selector.levels()[static_cast<std::size_t>(level)].use;
    const Alternative &alternative = site.alternatives[static_cast<std::size_t>(use)];
    text +=
        fmt::format("  {:<24} {}{}{}\n", rangeOf(selector, level), alternative.name,
                    use == 0 ? " (the default)" : "", alternative.doc.empty() ? "" : ": " + alternative.doc);
  }
  return text;
}

/// One past the last entry that belongs to the same tunable and has the same value as `first`.
std::size_t endOfAlike(const ProgramSpace &space, const Configuration &configuration, std::size_t first) {
  std::size_t end = first + 1;
  while (end < space.tunables.size() && space.tunables[end].isSameAs(space.tunables[first]) &&
         configuration.tunables()[end] == configuration.tunables()[first])
    ++end;
  return end;
}

std::string kindOf(const Tunable &t) {
  std::string kind = t.integer ? "a whole number" : "a number";
  if (t.forAccuracy)
    kind += " that the result's accuracy depends on";
  return kind;
}

std::string titleOf(const Tunable &t, bool isForAll) {
  if (!isForAll)
    return t.title();
  Tunable plain = t;
  plain.sizeBin = -1;
  return plain.title();
}

ordered_json originOf(const Provenance &p) {
  ordered_json bins = ordered_json::array();
  for (const Provenance::Bin &bin : p.bins)
    bins.push_back({{"transform", bin.transform},
                    {"size", bin.size},
                    {"measurements", bin.measurements},
                    {"default_seconds", bin.defaultSeconds},
                    {"tuned_seconds", bin.tunedSeconds}});
  return {{"tool", p.tool},
          {"date", p.date},
          {"machine", inWords(p.machine)},
          {"objective", p.objective},
          {"effort", p.effort},
          {"budget", p.budget},
          {"seed", p.seed},
          {"sizes", p.sizes},
          {"measurements", p.measurements},
          {"default_seconds", p.defaultSeconds},
          {"tuned_seconds", p.tunedSeconds},
          {"bins", bins}};
}

/// Whether all sizes of this tunable have one value.
bool isForAllSizes(const ProgramSpace &space, std::size_t first, std::size_t end) {
  const Tunable &t = space.tunables[first];
  return t.sizeBin <= 0 && (end == space.tunables.size() || !space.tunables[end].isSameAs(t));
}

} // namespace

std::string explained(const ProgramSpace &space, const Configuration &configuration,
                      const std::optional<Provenance> &origin) {
  std::string text;
  if (origin) {
    text += fmt::format("made by {} on {}, {} effort\n", origin->tool, origin->date, origin->effort);
    text += fmt::format("  on {}\n", inWords(origin->machine));
    for (const Provenance::Bin &bin : origin->bins)
      text += fmt::format("  {} at {}: {}, at first {}\n", bin.transform, bin.size, seconds(bin.tunedSeconds),
                          seconds(bin.defaultSeconds));
    if (!origin->sizes.empty() && origin->bins.empty())
      text += fmt::format("  at {}: {}, {} {}\n", origin->sizes.back(), seconds(origin->tunedSeconds),
                          origin->effort == "refresh" ? "the configuration before" : "the default",
                          seconds(origin->defaultSeconds));
    text += "\n";
  }
  for (std::size_t i = 0; i < space.sites.size(); ++i)
    text += choiceInWords(space.sites[i], configuration.selectors()[i]);
  if (!space.sites.empty() && !space.tunables.empty())
    text += "\n";
  for (std::size_t i = 0; i < space.tunables.size();) {
    const Tunable &t = space.tunables[i];
    const std::size_t end = endOfAlike(space, configuration, i);
    text += fmt::format("{} = {}{}\n    {}; {}, {} to {}, default {}\n",
                        titleOf(t, isForAllSizes(space, i, end)), configuration.tunables()[i],
                        configuration.tunables()[i] == t.initial ? " (the default)" : "", t.doc, kindOf(t),
                        t.minimum, t.maximum, t.initial);
    i = end;
  }
  return text;
}

std::string explainedAsJson(const ProgramSpace &space, const Configuration &configuration,
                            const std::optional<Provenance> &origin) {
  ordered_json choices = ordered_json::array(), tunables = ordered_json::array();
  for (std::size_t i = 0; i < space.sites.size(); ++i) {
    ordered_json levels = ordered_json::array();
    const Selector &selector = configuration.selectors()[i];
    for (std::size_t k = 0; k < selector.levels().size(); ++k) {
      const Alternative &used =
          space.sites[i].alternatives[static_cast<std::size_t>(selector.levels()[k].use)];
      ordered_json level{
          {"from", selector.lowest(static_cast<int>(k))}, {"use", used.name}, {"doc", used.doc}};
      if (selector.levels()[k].below != kNoLimit)
        level["below"] = selector.levels()[k].below;
      levels.push_back(level);
    }
    choices.push_back({{"choice", space.sites[i].title()},
                       {"doc", space.sites[i].doc},
                       {"default", space.sites[i].alternatives[0].name},
                       {"levels", levels}});
  }
  for (std::size_t i = 0; i < space.tunables.size();) {
    const Tunable &t = space.tunables[i];
    const std::size_t end = endOfAlike(space, configuration, i);
    ordered_json entry{{"tunable", titleOf(t, isForAllSizes(space, i, end))},
                       {"value", configuration.tunables()[i]},
                       {"default", t.initial},
                       {"minimum", t.minimum},
                       {"maximum", t.maximum},
                       {"integer", t.integer},
                       {"doc", t.doc}};
    tunables.push_back(entry);
    i = end;
  }
  ordered_json json{{"program", space.program}, {"choices", choices}, {"tunables", tunables}};
  if (origin)
    json["made_by"] = originOf(*origin);
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace pbc::tuner
