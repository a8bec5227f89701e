// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/space/toml.h"

#include "runtime/base/closest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <toml++/toml.h>

namespace pbc::tuner {
namespace {

std::string choiceText(const Site &site, const Selector &selector) {
  std::string result = "[ ";
  for (const Level &level : selector.levels()) {
    const std::string use = tomlText(site.alternatives.at(level.use).name);
    result += level.below == kNoLimit ? fmt::format("{{ use = {} }} ]", use)
                                      : fmt::format("{{ below = {}, use = {} }}, ", level.below, use);
  }
  return result;
}

std::string valueText(const Tunable &tunable, double value) {
  if (tunable.integer)
    return fmt::format("{}", std::llround(value));
  std::string text = fmt::format("{}", value); // the shortest text that reads back as the same number
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

/// The end of the entries from `first` on that belong to the same tunable of the program.
std::size_t groupEnd(const ProgramSpace &space, std::size_t first) {
  std::size_t end = first + 1;
  while (end < space.tunables.size() && space.tunables[end].transform == space.tunables[first].transform &&
         space.tunables[end].name == space.tunables[first].name)
    ++end;
  return end;
}

/// The elements for one size, which begin at `first`.
std::string elementsText(const ProgramSpace &space, const Configuration &configuration, std::size_t first) {
  const Tunable &tunable = space.tunables[first];
  if (tunable.element < 0)
    return valueText(tunable, configuration.tunables()[first]);
  std::string text;
  for (std::size_t i = first; i < groupEnd(space, first) && space.tunables[i].sizeBin == tunable.sizeBin; ++i)
    text += (i == first ? "[" : ", ") + valueText(tunable, configuration.tunables()[i]);
  return text + "]";
}

/// The values of entries first..end, with equal values of neighbouring sizes joined.
std::string valuesText(const ProgramSpace &space, const Configuration &configuration, std::size_t first,
                       std::size_t end) {
  std::string levels, last = elementsText(space, configuration, first);
  for (std::size_t i = first + 1; i < end; ++i) {
    if (space.tunables[i].sizeBin == space.tunables[i - 1].sizeBin)
      continue;
    const std::string next = elementsText(space, configuration, i);
    if (next != last)
      levels += fmt::format("{{ below = {}, value = {} }}, ", 1L << space.tunables[i].sizeBin, last);
    last = next;
  }
  return levels.empty() ? last : fmt::format("[ {}{{ value = {} }} ]", levels, last);
}

[[noreturn]] void refuse(const std::string &where, const toml::node &node, const std::string &what) {
  throw TunerError(
      fmt::format("{}:{}:{}: {}", where, node.source().begin.line, node.source().begin.column, what));
}

int readUse(const Site &site, const toml::node &node, const std::string &where) {
  const auto use = node.value<std::string>();
  if (!use)
    refuse(where, node,
           fmt::format("{} needs the name of an alternative, \"Name\", or a list of levels", site.title()));
  std::vector<std::string> known;
  for (const Alternative &alternative : site.alternatives) {
    if (alternative.name == *use)
      return static_cast<int>(known.size());
    known.push_back(alternative.name);
  }
  refuse(where, node,
         fmt::format("{} has no alternative '{}'{}; known: {}", site.title(), *use,
                     pb::base::didYouMean(*use, known), pb::base::listed(known)));
}

Selector readChoice(const Site &site, const toml::node &node, const std::string &where) {
  const toml::array *entries = node.as_array();
  if (!entries) // one name, for all sizes
    return Selector(readUse(site, node, where));
  std::vector<Level> levels;
  for (const toml::node &entry : *entries) {
    const toml::table *level = entry.as_table();
    if (!level)
      refuse(where, entry, "a level is written { below = 341, use = \"Name\" }");
    const toml::node *use = level->get("use");
    if (!use)
      refuse(where, entry,
             fmt::format("this level of {} does not say which alternative to use (use = \"Name\")",
                         site.title()));
    levels.push_back({(*level)["below"].value<int64_t>().value_or(kNoLimit), readUse(site, *use, where)});
  }
  const auto selector = Selector::fromLevels(levels);
  if (!selector)
    refuse(where, node,
           fmt::format("the cut-offs of {} must grow and the last level must have none", site.title()));
  return *selector;
}

double readThreads(const Tunable &tunable, const toml::node *node, const std::string &where) {
  const auto value = node ? node->value<double>() : tunable.maximum;
  if (!value || *value < 1 || std::round(*value) != *value)
    refuse(where, *node, "threads must be a whole number above 0");
  return tunable.clamp(*value);
}

/// Finds the one number of the tunable in an entry for all sizes and elements.
const toml::node *valueNode(const toml::node *node, const Tunable &tunable) {
  if (const toml::array *levels = node ? node->as_array() : nullptr;
      levels && tunable.sizeBin >= 0 && !levels->empty() && levels->front().is_table()) {
    node = nullptr;
    for (const toml::node &entry : *levels) {
      const toml::table *level = entry.as_table();
      if (!level)
        return &entry;
      const int64_t below = (*level)["below"].value<int64_t>().value_or(kNoLimit);
      if ((1L << tunable.sizeBin) < below) {
        node = level->get("value");
        break;
      }
    }
  }
  const toml::array *elements = node ? node->as_array() : nullptr;
  return elements && tunable.element >= 0 ? elements->get(static_cast<std::size_t>(tunable.element)) : node;
}

} // namespace

std::string tomlText(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result + "\"";
}

std::string tomlKey(const std::string &name) {
  const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c < 128 && (std::isalnum(c) || c == '_' || c == '-');
  });
  return bare ? name : tomlText(name);
}

std::string toToml(const ProgramSpace &space, const Configuration &configuration,
                   const TomlOptions &options) {
  std::string result;
  for (const std::string &line : options.comments)
    result += "# " + line + "\n";
  result += fmt::format("program = {}\nhash = {}\n", tomlText(space.program), tomlText(space.hash));
  if (options.threads > 0)
    result += fmt::format("threads = {}\n", options.threads);
  for (std::size_t i = 0; i < space.tunables.size() && options.threads == 0; ++i)
    if (space.tunables[i].isThreads() && configuration.tunables()[i] != space.tunables[i].maximum)
      result += fmt::format("threads = {}\n", valueText(space.tunables[i], configuration.tunables()[i]));
  std::vector<std::string> transforms; // in the program's order
  const auto note = [&](const std::string &name) {
    if (std::find(transforms.begin(), transforms.end(), name) == transforms.end())
      transforms.push_back(name);
  };
  for (const Site &site : space.sites)
    note(site.transform);
  for (const Tunable &tunable : space.tunables)
    if (!tunable.isThreads())
      note(tunable.transform);
  for (const std::string &transform : transforms) {
    result += fmt::format("\n[{}]\n", tomlKey(transform));
    for (std::size_t i = 0; i < space.sites.size(); ++i)
      if (space.sites[i].transform == transform)
        result += fmt::format("{} = {}\n", tomlKey(space.sites[i].key),
                              choiceText(space.sites[i], configuration.selectors()[i]));
    for (std::size_t i = 0; i < space.tunables.size(); i = groupEnd(space, i))
      if (space.tunables[i].transform == transform)
        result += fmt::format("{} = {}\n", tomlKey(space.tunables[i].name),
                              valuesText(space, configuration, i, groupEnd(space, i)));
  }
  return result;
}

std::string tomlProblem(const std::string &text, const std::string &where) {
  try {
    (void)toml::parse(text);
    return "";
  } catch (const toml::parse_error &problem) {
    return fmt::format("{}:{}:{}: {}", where, problem.source().begin.line, problem.source().begin.column,
                       problem.description());
  }
}

std::vector<std::string> topLevelKeys(const std::string &text) {
  std::vector<std::string> keys;
  try {
    for (const auto &[key, value] : toml::parse(text))
      keys.emplace_back(key.str());
  } catch (const toml::parse_error &) { // none
  }
  return keys;
}

std::string programNamed(const std::string &text) {
  try {
    return toml::parse(text)["program"].value_or(std::string());
  } catch (const toml::parse_error &) {
    return "";
  }
}

Configuration fromToml(const ProgramSpace &space, const std::string &text, const std::string &where) {
  toml::table table;
  try {
    table = toml::parse(text, where);
  } catch (const toml::parse_error &) {
    throw TunerError(tomlProblem(text, where));
  }
  if (const std::string program = table["program"].value_or(space.program); program != space.program)
    throw TunerError(fmt::format("{}: this configuration belongs to another program, {}", where, program));
  const std::string hash = table["hash"].value_or(space.hash);
  if (hash != space.hash)
    throw TunerError(fmt::format("{}: this configuration belongs to another version of the program\n"
                                 "  its hash: {}\n  the program's: {}",
                                 where, hash, space.hash));
  Configuration result = Configuration::defaults(space);
  for (std::size_t i = 0; i < space.sites.size(); ++i)
    if (const toml::node *node = table[space.sites[i].transform][space.sites[i].key].node())
      result = result.withSelector(static_cast<int>(i), readChoice(space.sites[i], *node, where));
  for (std::size_t i = 0; i < space.tunables.size(); ++i) {
    const Tunable &tunable = space.tunables[i];
    if (tunable.isThreads()) {
      result = result.withTunable(static_cast<int>(i), readThreads(tunable, table["threads"].node(), where));
      continue;
    }
    const toml::node *node = valueNode(table[tunable.transform][tunable.name].node(), tunable);
    if (!node)
      continue;
    const auto value = node->value<double>();
    if (!value || tunable.clamp(*value) != *value)
      refuse(where, *node,
             fmt::format("{} must be {} from {} to {}", tunable.title(),
                         tunable.integer ? "a whole number" : "a number", tunable.minimum, tunable.maximum));
    result = result.withTunable(static_cast<int>(i), *value);
  }
  return result;
}

} // namespace pbc::tuner
