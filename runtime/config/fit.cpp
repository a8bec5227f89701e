// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include "runtime/config/fit.h"
#include "runtime/config/origin.h"
#include <algorithm>

namespace pb::config {

const char *name(EntryState state) {
  switch (state) {
  case EntryState::Ok:
    return "ok";
  case EntryState::Unknown:
    return "unknown";
  case EntryState::OutOfRange:
    return "out of range";
  case EntryState::Unreachable:
    return "unreachable level";
  case EntryState::Wrong:
    return "wrong";
  case EntryState::Missing:
    return "missing";
  case EntryState::Changed:
    return "changed transform";
  case EntryState::OtherProgram:
    return "another program";
  case EntryState::OtherVersion:
    return "another version";
  case EntryState::OtherMachine:
    return "another machine";
  }
  return "";
}

std::string warningAbout(const Program &program, const std::string &text, const std::string &where,
                         const std::string &command, const Fitted *fitted) {
  const Origin origin = originOf(program, text);
  std::string what;
  if (origin.isOtherVersion) {
    what = "made for another version of the program";
    std::string unfit;
    int count = 0;
    for (const Entry &entry : fitted ? fitted->entries : std::vector<Entry>{}) {
      if (entry.instead.empty() || entry.state == EntryState::Missing)
        continue;
      if (++count <= 3)
        unfit += (unfit.empty() ? "" : ", ") + entry.title();
    }
    if (count)
      what += " (" + std::to_string(count) + (count == 1 ? " entry does" : " entries do") +
              " not fit: " + unfit + (count > 3 ? ", ..." : "") + ")";
  }
  if (what.empty() && !origin.changed.empty()) {
    what = "made before ";
    for (std::size_t i = 0; i < origin.changed.size(); ++i)
      what += (i == 0                          ? ""
               : i + 1 < origin.changed.size() ? ", "
                                               : " and ") +
              std::string(origin.changed[i]->name);
    what += origin.changed.size() == 1 ? " was changed" : " were changed";
  }
  if (!origin.otherMachine.empty())
    what += (what.empty() ? "made" : ",") + std::string(" on another machine (") + origin.otherMachine + ")";
  if (what.empty())
    return "";
  what = where + ": warning: " + what + "; it is used as far as it fits";
  return command.empty()
             ? what
             : what + "; `pbc tune --refresh " + command + "` brings it up to date, --nowarnings hides this";
}

} // namespace pb::config
