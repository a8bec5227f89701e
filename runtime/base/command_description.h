// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The options of a command as data, from the same table as its --help: for man pages and for the completion of shells.
//
//   CommandDescription tune;
//   {
//     const DescribesHelp instead(tune);      // on this thread, --help fills `tune`
//     tuneCommand(2, {"tune", "--help"});     // prints nothing
//   }
//   tune.options[1].names                     // {"--output", "-o"}
#pragma once
#include <string>
#include <vector>

namespace pb::base {

struct OptionDescription {
  std::vector<std::string> names; ///< with their dashes, longer ones first; of a positional its name alone
  std::string value;              ///< "TEXT", "INT"; empty for a flag
  std::string text;
  bool isPositional = false;
};

struct CommandDescription {
  std::string name; ///< "pbc tune"; of a subcommand its last word
  std::string text, footer;
  std::vector<OptionDescription> options; ///< those that --help shows
  std::vector<CommandDescription> subcommands;
};

/// While it exists, a command of this thread that is asked for --help describes itself instead of printing.
class DescribesHelp {
public:
  explicit DescribesHelp(CommandDescription &to) { target = &to; }
  ~DescribesHelp() { target = nullptr; }
  DescribesHelp(const DescribesHelp &) = delete;
  DescribesHelp &operator=(const DescribesHelp &) = delete;
  static CommandDescription *wanted() { return target; }

private:
  static inline thread_local CommandDescription *target = nullptr;
};

/// `App` is CLI11's, which the runtime does not use.
template <class App>
CommandDescription describe(const App &app) {
  CommandDescription d{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const auto *option : app.get_options()) {
    if (option->get_group().empty())
      continue; // hidden
    OptionDescription o{{}, "", option->get_description(), option->get_positional()};
    for (const std::string &name : option->get_lnames())
      o.names.push_back("--" + name);
    for (const std::string &name : option->get_snames())
      o.names.push_back("-" + name);
    if (o.isPositional && o.names.empty())
      o.names.push_back(option->get_name());
    if (option->get_items_expected_max() > 0) {
      const std::string type = option->get_type_name(); // with what is checked behind it
      o.value = type.substr(0, type.find(':'));
    }
    d.options.push_back(std::move(o));
  }
  for (const App *subcommand : app.get_subcommands({}))
    d.subcommands.push_back(describe(*subcommand));
  return d;
}

} // namespace pb::base
