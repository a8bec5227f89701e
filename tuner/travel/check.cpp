// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/travel/check.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {
namespace {

long count(const Fitted &fitted, bool (*is)(const FittedEntry &)) {
  return std::count_if(fitted.entries.begin(), fitted.entries.end(), is);
}

bool isWrong(const FittedEntry &entry) { return !entry.isOk() && !entry.isMissing(); }

/// Programs follow another version's file as far as it fits; in a file of their own version, mistakes are
/// errors.
bool isRefused(const Fitted &fitted) {
  const auto is = [&](auto... states) {
    return std::any_of(fitted.entries.begin(), fitted.entries.end(),
                       [&](const FittedEntry &entry) { return ((entry.state == states) || ...); });
  };
  return is("unknown", "out of range", "unreachable level", "wrong") && !is("another version");
}

} // namespace

Fitted checked(const ProgramSpace &space, const std::optional<Provenance> &origin, Fitted fitted) {
  const auto place = std::find_if(fitted.entries.begin(), fitted.entries.end(),
                                  [](const FittedEntry &entry) { return entry.title() == "made-by"; });
  if (origin && origin->machine.isKnown() && place != fitted.entries.end() && place->isOk() &&
      origin->machine.devices != space.machine.devices) {
    place->state = "another machine";
    place->problems = {fmt::format("made on a machine with other devices: {}; this one: {}",
                                   inWords(origin->machine), inWords(space.machine))};
  }
  return fitted;
}

bool isAllOk(const Fitted &fitted) { return count(fitted, isWrong) == 0; }

std::string asText(const std::string &file, const Fitted &fitted) {
  std::string text;
  for (const FittedEntry &entry : fitted.entries) {
    const std::string place = entry.line ? fmt::format("{}:{}:{}", file, entry.line, entry.column) : file;
    text += fmt::format("{}: {:<18}{}\n", place, entry.state, entry.title());
    if (entry.isMissing())
      continue;
    for (const std::string &problem : entry.problems)
      text += fmt::format("    {}\n", problem);
    if (!entry.instead.empty())
      text += fmt::format("    {}\n", entry.instead);
  }
  const long missing = count(fitted, [](const FittedEntry &entry) { return entry.isMissing(); });
  const long mentioned = static_cast<long>(fitted.entries.size()) - missing, wrong = count(fitted, isWrong);
  if (isRefused(fitted))
    text +=
        "the program refuses this file: it is not of another version, so what is wrong in it is an error;\n"
        "what is said here is what `pbc tune --refresh` makes of it\n";
  return text +
         (wrong ? fmt::format(
                      "{} of {} entries need attention; `pbc tune --refresh` brings a file up to date\n",
                      wrong, mentioned)
                : fmt::format("all {} entries are ok{}\n", mentioned,
                              missing ? fmt::format("; {} are not there and have their defaults", missing)
                                      : ""));
}

std::string asJson(const std::string &file, const Fitted &fitted) {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const FittedEntry &entry : fitted.entries)
    entries.push_back({{"entry", entry.title()},
                       {"transform", entry.transform},
                       {"key", entry.key},
                       {"line", entry.line},
                       {"column", entry.column},
                       {"state", entry.state},
                       {"problems", entry.problems},
                       {"instead", entry.instead}});
  const nlohmann::ordered_json json{{"file", file}, {"ok", isAllOk(fitted)}, {"entries", entries}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace pbc::tuner
