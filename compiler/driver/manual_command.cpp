// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/manual_command.h"
#include "compiler/driver/commands.h"
#include "compiler/driver/completion.h"
#include "compiler/driver/manual.h"
#include "runtime/base/parse_status.h"
#include "runtime/base/pending_files.h"
#include <CLI/CLI.hpp>
#include <cstdio>

namespace pbc::driver {
namespace {

constexpr const char *kCompiling = "compiles programs of transforms, rules and algorithmic choices";

std::string pageOf(const std::string &name) {
  std::vector<std::pair<std::string, std::string>> listed;
  for (const Command &c : commands()) {
    if (c.name == name)
      return manualPage(describe(c), c.summary);
    listed.emplace_back(c.name, c.summary);
  }
  return manualPage(describeCompiling(), kCompiling, listed);
}

} // namespace

int manCommand(int argc, char **argv) {
  std::string name, folder;
  std::vector<std::string> names;
  for (const Command &c : commands())
    names.emplace_back(c.name);
  CLI::App app("Prints a manual page, of pbc itself or of one of its commands, for man(1).", "pbc man");
  app.add_option("command", name, "the command")->check(CLI::IsMember(names));
  app.add_option("--folder", folder, "instead: write all pages into this folder, pbc.1, pbc-tune.1 and so on")
      ->check(CLI::ExistingDirectory);
  app.footer("Example:\n  pbc man tune | man -l -");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return pb::base::parseStatus(app, e);
  }
  if (folder.empty()) {
    std::fputs(pageOf(name).c_str(), stdout);
    return 0;
  }
  names.emplace_back();
  pb::base::PendingFiles pages;
  try {
    for (const std::string &n : names)
      pages.add(folder + "/pbc" + (n.empty() ? "" : "-" + n) + ".1", {pageOf(n)});
    pages.commit();
  } catch (const std::exception &e) {
    std::fprintf(stderr, "pbc man: error: %s\n", e.what());
    return 1;
  }
  return 0;
}

int completionCommand(int argc, char **argv) {
  std::string shell;
  CLI::App app("Prints what a shell needs to complete command lines of pbc.", "pbc completion");
  app.add_option("shell", shell, "the shell")->required()->check(CLI::IsMember(shells()));
  app.footer("Examples:\n  eval \"$(pbc completion bash)\"        in ~/.bashrc\n"
             "  eval \"$(pbc completion zsh)\"         in ~/.zshrc, after compinit\n"
             "  pbc completion fish | source         in config.fish");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return pb::base::parseStatus(app, e);
  }
  DescribedCommands all{describeCompiling(), {}};
  for (const Command &c : commands())
    all.commands.push_back({std::string(c.name), std::string(c.summary), describe(c)});
  std::fputs(completionScript(shell, all)->c_str(), stdout);
  return 0;
}

} // namespace pbc::driver
