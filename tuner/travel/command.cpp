// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/travel/command.h"

#include "runtime/base/parse_status.h"
#include "tuner/evaluate/steps.h"
#include "tuner/travel/check.h"
#include "tuner/travel/difference.h"
#include "tuner/travel/explain.h"
#include "tuner/write_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace pbc::tuner {
namespace {

namespace fs = std::filesystem;

struct ConfigOptions {
  std::string file, other, program;
  bool json = false;
};

/// The program that the user named, or the one that would read the file.
std::string programFor(const ConfigOptions &options) {
  std::string program = options.program;
  if (program.empty() && options.file.ends_with(".cfg"))
    program = options.file.substr(0, options.file.size() - 4);
  if (program.empty() || !fs::exists(program))
    throw TunerError(
        options.program.empty() && options.file.empty()
            ? "which program?\n  help: say it with --for=./PROGRAM"
        : options.program.empty()
            ? fmt::format("{}: for which program?\n  help: say it with --for=./PROGRAM", options.file)
            : fmt::format("{}: there is no such program", program));
  return fs::absolute(program).string();
}

int check(const ConfigOptions &options) {
  const std::string program = programFor(options), text = textOf(options.file);
  const Fitted fitted = checked(describeProgram(program, options.program, ""), provenanceOf(text),
                                fitConfiguration(program, text, options.file));
  fmt::print("{}", options.json ? asJson(options.file, fitted) : asText(options.file, fitted));
  return isAllOk(fitted) ? 0 : 1;
}

int diff(const ConfigOptions &options) {
  std::string left = textOf(options.file), right = textOf(options.other);
  if (!options.program.empty()) {
    const std::string program = programFor(options);
    left = fitConfiguration(program, left, options.file).toml;
    right = fitConfiguration(program, right, options.other).toml;
  }
  const auto all = differences(left, options.file, right, options.other);
  if (options.json)
    fmt::print("{}", differencesAsJson(all));
  else if (all.empty())
    fmt::print("the two do the same\n");
  else {
    fmt::print("A is {}, B is {}\n", options.file, options.other);
    for (const Difference &difference : all)
      fmt::print("{}\n", inWords(difference));
  }
  return 0;
}

int explain(const ConfigOptions &options) {
  const std::string program = programFor(options), text = options.file.empty() ? "" : textOf(options.file);
  ProgramSpace space = describeProgram(program, options.program, "");
  const Fitted fitted = fitConfiguration(program, text, options.file);
  for (Tunable &tunable : space.tunables)
    if (tunable.isThreads()) // the given number of threads is started, even if they share processors
      tunable.maximum = std::max<double>(tunable.maximum, fitted.threads);
  const Configuration configuration = fromToml(space, fitted.toml, options.file);
  const auto origin = provenanceOf(text);
  if (!isAllOk(fitted))
    fmt::print(stderr,
               "{}: some entries do not fit: `pbc config check` lists them; what is in use instead:\n",
               pb::base::visible(options.file));
  fmt::print("{}", options.json ? explainedAsJson(space, configuration, origin)
                                : explained(space, configuration, origin));
  return 0;
}

} // namespace

int configCommand(int argc, char **argv) {
  ConfigOptions options;
  CLI::App app("Reads configurations and says what they mean.", "pbc config");
  app.require_subcommand(1);
  int (*command)(const ConfigOptions &) = nullptr;
  const auto add = [&](const char *name, const char *doc, int (*what)(const ConfigOptions &)) {
    CLI::App *sub = app.add_subcommand(name, doc);
    CLI::Option *file = sub->add_option("file", options.file, "a configuration")->check(CLI::ExistingFile);
    if (what != explain)
      file->required();
    sub->add_option("--for", options.program, "the program (default: FILE without .cfg)");
    sub->add_flag("--json", options.json, "the same as JSON");
    sub->callback([&command, what] { command = what; });
    return sub;
  };
  add("check", "each entry: ok, or what does not fit; status 1 if one needs attention", check);
  add("diff", "which choice differs at which sizes; with --for, defaults count", diff)
      ->add_option("other", options.other, "another configuration")
      ->required()
      ->check(CLI::ExistingFile);
  add("explain",
      "the choices by size in words, and what each tunable is; without FILE, the program's defaults",
      explain);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &problem) {
    return pb::base::parseStatus(app, problem);
  }
  try {
    const int status = command(options);
    std::fflush(stdout);
    return status;
  } catch (const TunerError &problem) {
    fmt::print(stderr, "pbc config: error: {}\n", pb::base::visible(problem.what()));
  } catch (const std::exception &problem) {
    fmt::print(stderr, "pbc config: internal error: {}\n  help: this is a fault of pbc; please report it\n",
               pb::base::visible(problem.what()));
  }
  return 1;
}

} // namespace pbc::tuner
