// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Applies TOML text to slots in two steps: first everything is read and checked into a list of changes; then,
// if nothing was wrong, the changes are made.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include "runtime/config/configuration.h"
#include "runtime/config/fit.h"
#include "runtime/config/original.h"
#include "runtime/config/reader.h"
#include <algorithm>
#include <toml++/toml.h>

namespace pb::config {
namespace {

std::string notToml(const toml::parse_error &e, const std::string &where) {
  std::string text = where + ":" + std::to_string(e.source().begin.line) + ":" +
                     std::to_string(e.source().begin.column) +
                     ": error: not TOML: " + std::string(e.description());
  if (text.find("saw '+'") != std::string::npos) // place_A+B: of a step of several rules
    text += "\n  help: a name with `+` stands in quotes: \"place_A+B\" = \"gpu\"";
  return text;
}

} // namespace

std::string choiceKey(const Transform &t, const Site &site) {
  if (site.isPlacement())
    return site.name;
  return std::string_view(site.name) == t.name ? "choice" : std::string("choice_") + site.name;
}

std::vector<std::string> apply(const Program &program, const std::string &text, const std::string &where,
                               int *threads, std::vector<std::string> *warnings) {
  if (isOriginal(text))
    return applyOriginal(program, text, where, threads, warnings);
  const toml::parse_result parsed = toml::parse(text, where);
  if (!parsed)
    return {notToml(parsed.error(), where)};
  Reader reader(program, where, warnings);
  reader.read(parsed.table(), threads, false);
  if (reader.errors().empty())
    reader.change();
  return reader.errors();
}

Fitted fit(const Program &program, const std::string &text, const std::string &where, int *threads) {
  if (isOriginal(text)) {
    Fitted fitted;
    fitted.errors = applyOriginal(program, text, where, threads, nullptr, &fitted.entries);
    return fitted;
  }
  const toml::parse_result parsed = toml::parse(text, where);
  if (!parsed)
    return {{notToml(parsed.error(), where)}, {}};
  Reader reader(program, where, nullptr);
  reader.read(parsed.table(), threads, true);
  for (const Entry &entry : reader.entries())
    if (entry.state == EntryState::OtherProgram)
      return {reader.errors(), reader.entries()};
  reader.addMissing();
  reader.change();
  Fitted fitted{{}, reader.entries()};
  std::stable_sort(fitted.entries.begin(), fitted.entries.end(), [](const Entry &a, const Entry &b) {
    return std::pair(!a.line, a.line) < std::pair(!b.line, b.line); // tables are sorted by name
  });
  return fitted;
}

} // namespace pb::config
