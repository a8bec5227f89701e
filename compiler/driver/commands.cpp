// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/commands.h"
#include "compiler/driver/compose_command.h"
#include "compiler/driver/emulate_command.h"
#include "compiler/driver/manual_command.h"
#include "compiler/driver/opt_command.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/prove_command.h"
#include "compiler/driver/space_command.h"
#include "compiler/model/command/command.h"
#include "tuner/command.h"
#include "tuner/report_command.h"
#include "tuner/travel/command.h"
#include <string>

namespace pbc::driver {
namespace {

int run(const Options &options) { return compileProgram(options); }

int explainCommand(int argc, char **argv) {
  if (tuner::explainsProgram(argc, argv))
    return tuner::explainCommand(argc, argv);
  const ParsedOptions parsed = parseOptions(argc, argv, true);
  return parsed.run ? run(parsed.options) : parsed.status;
}

int modelCommand(int argc, char **argv) { return model::modelCommand(argc, argv, eachKernel); }

constexpr Command kCommands[] = {
    {"tune", "finds the best choices of a program on this machine", tuner::tuneCommand},
    {"explain", "shows what the compiler makes of each rule, or why a program's choices were made",
     explainCommand},
    {"report", "makes a page of what a tuning found", tuner::reportCommand},
    {"config", "checks, compares and explains configuration files", tuner::configCommand},
    {"opt", "runs steps of schedules on kernels in text form", optCommand},
    {"compose", "weaves adaptors into a schedule", composeCommand},
    {"space", "prints the programs that a kernel can become", spaceCommand},
    {"prove", "searches the fastest of them, and says how far from it the result can be", proveCommand},
    {"emulate", "predicts what limits kernels for devices", emulateCommand},
    {"model", "evaluates cost models, and measures what they need to know of a machine", modelCommand},
    {"man", "prints a manual page", manCommand},
    {"completion", "prints what a shell needs to complete command lines of pbc", completionCommand},
};

pb::base::CommandDescription describe(const char *name, int (*command)(int argc, char **argv)) {
  pb::base::CommandDescription description;
  std::string first = name, help = "--help";
  char *words[] = {first.data(), help.data(), nullptr};
  const pb::base::DescribesHelp instead(description);
  command(2, words);
  return description;
}

} // namespace

std::span<const Command> commands() { return kCommands; }

int compileCommand(int argc, char **argv) {
  const ParsedOptions parsed = parseOptions(argc, argv);
  return parsed.run ? run(parsed.options) : parsed.status;
}

pb::base::CommandDescription describe(const Command &c) {
  return describe(std::string(c.name).c_str(), c.run);
}
pb::base::CommandDescription describeCompiling() { return describe("pbc", compileCommand); }

} // namespace pbc::driver
