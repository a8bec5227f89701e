// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Handles a command line that CLI11 has not accepted, or that asks for help.
//
//   try { app.parse(argc, argv); } catch (const CLI::ParseError &e) { return parseStatus(app, e); }
//
//   $ pbc tune ./sort --budgt=3
//   pbc tune: error: there is no option --budgt (did you mean '--budget'?)
//   help: pbc tune --help lists the options
//
// CLI11 has its own exit statuses, but here every error of a user gives status 1. Words of the command line
// are printed through visible() (visible.h).
#pragma once
#include "runtime/base/closest.h"
#include "runtime/base/command_description.h"
#include "runtime/base/visible.h"
#include <cstdio>
#include <sstream>

namespace pb::base {

/// What is wrong with the first word that no option takes; "" if there is none.
template <class App>
std::string unexpectedWord(const App &app) {
  const std::vector<std::string> words = app.remaining(true);
  if (words.empty())
    return "";
  // An unknown option explains the words after it, which may have been meant as its values.
  std::string word = words.front();
  for (const std::string &other : words)
    if (other.size() > 1 && other[0] == '-') {
      word = other;
      break;
    }
  if (word[0] != '-') {
    std::vector<std::string> commands;
    for (const App *subcommand : app.get_subcommands({}))
      commands.push_back(subcommand->get_name());
    if (app.get_subcommands().empty() && !commands.empty())
      return "there is no command '" + word + "'" + didYouMean(word, commands);
    return "'" + word + "' is one word too many";
  }
  word = word.substr(0, word.find('='));
  std::vector<std::string> known;
  const auto add = [&](const App &of) {
    for (const auto *option : of.get_options())
      for (const std::string &name : option->get_lnames())
        known.push_back(name);
  };
  add(app);
  for (const App *subcommand : app.get_subcommands())
    add(*subcommand);
  const std::string meant = word.starts_with("--") ? closest(word.substr(2), known) : "";
  return "there is no option " + word + (meant.empty() ? "" : " (did you mean '--" + meant + "'?)");
}

/// Prints the help or the message, or describes the command instead of the help (command_description.h); returns 0 or 1. `App` and `Error` are CLI11's, which the runtime does not use.
template <class App, class Error>
int parseStatus(const App &app, const Error &error) {
  std::ostringstream out, messages;
  if (app.exit(error, out, messages) == 0) {
    if (CommandDescription *const to = DescribesHelp::wanted()) {
      *to = describe(app);
      return 0;
    }
    std::fputs(out.str().c_str(), stdout);
    return 0;
  }
  std::string name = app.get_name();
  for (const App *subcommand : app.get_subcommands())
    name += " " + subcommand->get_name();
  // A misspelt option is the reason why a required one is missing.
  const std::string unexpected = unexpectedWord(app), wrong = unexpected.empty() ? error.what() : unexpected;
  std::fprintf(stderr, "%s: error: %s\nhelp: %s --help lists the options\n", name.c_str(),
               visible(wrong).c_str(), name.c_str());
  return 1;
}

} // namespace pb::base
