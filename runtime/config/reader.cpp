// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include "runtime/config/reader.h"
#include "runtime/base/closest.h"
#include "runtime/config/configuration.h"
#include "runtime/config/kernels.h"
#include "runtime/config/origin.h"
#include <algorithm>

namespace pb::config {

void Reader::begin(const std::string &transform, const std::string &key, const toml::source_region &at) {
  entries_.push_back({transform, key, static_cast<int>(at.begin.line), static_cast<int>(at.begin.column)});
}

void Reader::error(const toml::source_region &at, const std::string &text, EntryState state) {
  errors_.push_back(where_ + ":" + std::to_string(at.begin.line) + ":" + std::to_string(at.begin.column) +
                    ": error: " + text);
  remark(text, state);
}

void Reader::remark(const std::string &text, EntryState state) {
  Entry &entry = entries_.back();
  if (entry.state == EntryState::Ok)
    entry.state = state;
  entry.problems.push_back(text);
}

void Reader::instead(const std::string &text) { entries_.back().instead = text; }

void Reader::unknown(const toml::key &key, const std::string &what, const Names &known) {
  error(key.source(),
        what + " '" + std::string(key.str()) + "'" + base::didYouMean(std::string(key.str()), known) +
            (known.empty() ? "" : "; known: " + base::listed(known)),
        EntryState::Unknown);
}

void Reader::read(const toml::table &root, int *threads, bool isFromElsewhere) {
  if (const toml::node *node = root.get("program"))
    expectName(*node, "program", program_.name, "this configuration is for the program",
               EntryState::OtherProgram);
  if (const toml::node *node = root.get("hash"); node && errors_.empty())
    expectName(*node, "hash", program_.hash,
               "this configuration is for another version of the program, with the hash",
               EntryState::OtherVersion);
  if (!errors_.empty() && !(isFromElsewhere && entries_.back().state == EntryState::OtherVersion))
    return; // further problems only follow from this
  for (const auto &[key, node] : root) {
    const std::string name(key.str());
    if (name == "program" || name == "hash")
      continue;
    if (name == "threads")
      readThreads(node, threads);
    else if (name == kMadeBy && node.is_table())
      readOrigin(*node.as_table());
    else if (name == "kernels" && node.is_table())
      readKernels(*node.as_table());
    else if (const Transform *t = find(name))
      readTransform(*t, node, key.source());
    else {
      begin("", name, key.source());
      unknown(key, "the program has no transform", transformNames());
      instead("it is left out");
    }
  }
}

void Reader::change() const {
  for (const auto &change : changes_)
    change();
}

void Reader::expectName(const toml::node &node, const char *key, const char *expected, const char *what,
                        EntryState state) {
  begin("", key, node.source());
  const auto *text = node.as_string();
  if (!text)
    error(node.source(), "expected a text in quotes");
  else if (**text != expected)
    error(node.source(),
          std::string(what) + " '" + **text + "', this program has '" + expected + "' (tune again)", state);
}

/// The table changes nothing; it is compared with this program and this machine.
void Reader::readOrigin(const toml::table &origin) {
  toml::table root;
  root.insert(kMadeBy, origin);
  begin("", kMadeBy, origin.source());
  const Origin from = originOf(program_, root);
  if (!from.otherMachine.empty())
    remark("made on another machine: " + from.otherMachine, EntryState::OtherMachine);
  for (const Transform *t : from.changed) {
    begin(t->name, "", origin["transforms"][t->name].node()->source());
    remark(std::string(t->name) + " has changed since the configuration was made", EntryState::Changed);
  }
}

void Reader::readThreads(const toml::node &node, int *threads) {
  begin("", "threads", node.source());
  const auto *value = node.as_integer();
  if (!value || **value < 1 || **value > kMaxThreads) {
    error(node.source(), "threads must be an integer from 1 to " + std::to_string(kMaxThreads),
          EntryState::OutOfRange);
    instead("it is left out");
  } else if (threads)
    changes_.push_back([=, n = static_cast<int>(**value)] { *threads = n; });
}

/// These options were decided when the program was compiled.
void Reader::readKernels(const toml::table &kernels) {
  if (const Transform *t = find("kernels")) // its own entries are no tables
    readTransform(*t, kernels, kernels.source());
  begin("", "kernels", kernels.source());
  if (!find("kernels"))
    for (const auto &[key, node] : kernels)
      if (!node.is_table())
        error(key.source(), "[kernels] has options of a transform's rules: write TRANSFORM.RULE.jam = 2");
  const std::string asked = kernelLines(kernels), has = program_.kernels ? program_.kernels : "";
  const std::string difference = firstDifference(asked, has);
  if (asked.empty() || difference.empty())
    return;
  const std::string text = "the program was compiled with other kernels than [kernels] says (" + difference +
                           "): compile it with pbc --config=FILE";
  remark(text, EntryState::OtherVersion);
  if (warnings_)
    warnings_->push_back(where_ + ":" + std::to_string(kernels.source().begin.line) + ":" +
                         std::to_string(kernels.source().begin.column) + ": warning: " + text);
}

const Transform *Reader::find(const std::string &name) const {
  for (int i = 0; i < program_.transformCount; ++i)
    if (name == program_.transforms[i]->name)
      return program_.transforms[i];
  return nullptr;
}

Reader::Names Reader::transformNames() const {
  Names names;
  for (int i = 0; i < program_.transformCount; ++i)
    names.push_back(program_.transforms[i]->name);
  return names;
}

void Reader::readTransform(const Transform &t, const toml::node &node, const toml::source_region &keyAt) {
  const toml::table *table = node.as_table();
  if (!table) {
    begin(t.name, "", keyAt);
    return error(node.source(), std::string("'") + t.name + "' is a transform: write [" + t.name +
                                    "] and its entries below");
  }
  Names known;
  for (int i = 0; i < t.siteCount; ++i)
    known.push_back(choiceKey(t, t.sites[i]));
  for (int i = 0; i < t.tunableCount; ++i)
    known.push_back(t.tunables[i].name);
  for (const auto &[key, value] : *table) {
    const std::string name(key.str());
    bool found = false;
    if (value.is_table() && std::string_view(t.name) == "kernels")
      continue; // of the section [kernels]
    begin(t.name, name, key.source());
    for (int i = 0; i < t.siteCount && !found; ++i)
      if ((found = name == choiceKey(t, t.sites[i])))
        readChoice(t.sites[i], value);
    for (int i = 0; i < t.tunableCount && !found; ++i)
      if ((found = name == t.tunables[i].name))
        readTunable(t, t.tunables[i], value);
    if (found)
      continue;
    unknown(key, std::string(t.name) + " has nothing to set by the name", known);
    instead("it is left out");
  }
}

void Reader::addMissing() {
  const auto add = [&](const Transform &t, const std::string &key) {
    const bool isThere = std::any_of(entries_.begin(), entries_.end(), [&](const Entry &entry) {
      return entry.transform == t.name && entry.key == key;
    });
    if (!isThere)
      entries_.push_back(
          {t.name, key, 0, 0, EntryState::Missing, {"it is not mentioned"}, "the default is used"});
  };
  for (int i = 0; i < program_.transformCount; ++i) {
    const Transform &t = *program_.transforms[i];
    for (int k = 0; k < t.siteCount; ++k)
      add(t, choiceKey(t, t.sites[k]));
    for (int k = 0; k < t.tunableCount; ++k)
      add(t, t.tunables[k].name);
  }
}

} // namespace pb::config
