// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include "runtime/base/closest.h"
#include "runtime/config/reader.h"
#include <climits>

namespace pb::config {

void Reader::readChoice(const Site &site, const toml::node &node) {
  if (node.is_string())
    return addLevels(site, {{readUse(site, node), std::nullopt}});
  const toml::array *levels = node.as_array();
  if (!levels || levels->empty()) {
    instead("the default is used");
    return error(node.source(),
                 "expected a list of choices, [ { below = 64, use = \"A\" }, { use = \"B\" } ]");
  }
  if (levels->size() > static_cast<size_t>(Selector::kMaxLevels))
    error(node.source(), "a choice has at most " + std::to_string(Selector::kMaxLevels) +
                             " levels, this one has " + std::to_string(levels->size()));
  std::vector<ReadLevel> read;
  long before = 0;
  const bool fits = levels->size() <= static_cast<size_t>(Selector::kMaxLevels);
  for (size_t i = 0; fits && i < levels->size(); ++i) {
    read.push_back(readLevel(site, *levels->get(i), i + 1 == levels->size(), before));
    if (const auto &below = read.back().below; below && *below > before)
      before = *below;
  }
  addLevels(site, read);
}

Reader::ReadLevel Reader::readLevel(const Site &site, const toml::node &node, bool last, long before) {
  const toml::table *level = node.as_table();
  if (!level)
    return error(node.source(), "expected { below = SIZE, use = \"NAME\" }"), ReadLevel{};
  for (const auto &[key, value] : *level)
    if (key != "below" && key != "use")
      unknown(key, "a level of a choice has no entry", {"below", "use"});
  ReadLevel result;
  if (const toml::node *use = level->get("use"))
    result.use = readUse(site, *use);
  else
    error(node.source(), "this level does not say which alternative to use (use = \"NAME\")");
  const toml::node *below = level->get("below");
  if (last) {
    if (below)
      error(below->source(), "the last level has no 'below': it is for all larger sizes");
    else if (before > INT_MAX)
      remark("no size is as large as " + std::to_string(before) + ": the last level is never reached",
             EntryState::Unreachable);
    return result;
  }
  if (!below)
    return error(node.source(), "every level but the last needs 'below', the size at which it ends"),
           ReadLevel{};
  const auto *cut = below->as_integer();
  if (!cut || **cut < 1)
    return error(below->source(), "'below' must be an integer, at least 1"), ReadLevel{};
  result.below = **cut;
  if (**cut <= before)
    error(below->source(),
          "cut-offs must grow: " + std::to_string(**cut) + " comes after " + std::to_string(before),
          EntryState::Unreachable);
  return result;
}

/// Adds the legal levels: the sizes of an illegal one go to the level before it or, if there is none, after
/// it.
void Reader::addLevels(const Site &site, const std::vector<ReadLevel> &levels) {
  Selector selector;
  selector.levels = 0;
  long end = 0;
  bool isLess = false;
  for (size_t i = 0; i < levels.size(); ++i) {
    const bool last = i + 1 == levels.size();
    const long below = last ? LONG_MAX : levels[i].below.value_or(end);
    isLess |= below <= end || levels[i].use < 0;
    if (below <= end)
      continue;
    end = below;
    if (levels[i].use >= 0) {
      selector.use[selector.levels] = levels[i].use;
      ++selector.levels;
    }
    if (selector.levels && selector.levels < Selector::kMaxLevels)
      selector.below[selector.levels - 1] = below;
  }
  if (!selector.levels)
    return instead("the default, " + std::string(site.alternatives[0].name) + ", is used");
  if (isLess)
    instead("its other levels are used");
  changes_.push_back([&site, selector] { *site.slot = selector; });
}

int Reader::readUse(const Site &site, const toml::node &node) {
  const auto *text = node.as_string();
  Names known;
  for (int i = 0; i < site.alternativeCount; ++i) {
    if (text && **text == site.alternatives[i].name)
      return i;
    known.push_back(site.alternatives[i].name);
  }
  if (!text)
    error(node.source(), "expected the name of an alternative in quotes; known: " + base::listed(known));
  else
    error(node.source(),
          std::string(site.name) + " has no alternative '" + **text + "'" + base::didYouMean(**text, known) +
              "; known: " + base::listed(known),
          EntryState::Unknown);
  return -1;
}

} // namespace pb::config
