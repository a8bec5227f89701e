// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// pbc: the compiler and its subcommands.
#include "compiler/driver/compose_command.h"
#include "compiler/driver/emulate_command.h"
#include "compiler/driver/opt_command.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/prove_command.h"
#include "compiler/driver/space_command.h"
#include "compiler/model/command/command.h"
#include "runtime/base/closest.h"
#include "runtime/base/visible.h"
#include "tuner/command.h"
#include "tuner/report_command.h"
#include "tuner/travel/command.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace {

/// Reports a first word that is no file and nearly the name of a command.
bool isMisspeltCommand(const std::string &word) {
  if (word.empty() || word[0] == '-' || word.find_first_of("/.") != std::string::npos ||
      access(word.c_str(), F_OK) == 0)
    return false;
  const std::string near = pb::base::closest(
      word, {"tune", "config", "report", "model", "opt", "compose", "space", "prove", "emulate", "explain"});
  if (near.empty())
    return false;
  std::fprintf(stderr,
               "pbc: error: there is no command or file '%s' (did you mean '%s'?)\n"
               "help: pbc --help lists the commands\n",
               pb::base::visible(word).c_str(), near.c_str());
  return true;
}

int command(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "tune") == 0)
    return pbc::tuner::tuneCommand(argc - 1, argv + 1);
  if (argc > 1 && std::strcmp(argv[1], "config") == 0)
    return pbc::tuner::configCommand(argc - 1, argv + 1);
  if (argc > 1 && std::strcmp(argv[1], "report") == 0)
    return pbc::tuner::reportCommand(argc - 1, argv + 1);
  if (argc > 1 && std::strcmp(argv[1], "model") == 0)
    return pbc::model::modelCommand(argc - 1, argv + 1, pbc::driver::eachKernel);
  if (argc > 1 && std::strcmp(argv[1], "opt") == 0)
    return pbc::driver::optCommand(argc - 1, argv + 1);
  if (argc > 1 && std::strcmp(argv[1], "compose") == 0)
    return pbc::driver::composeCommand(argc - 1, argv + 1);
  if (argc > 1 && std::strcmp(argv[1], "space") == 0)
    return pbc::driver::spaceCommand(argc - 1, argv + 1);
  if (argc > 1 && std::strcmp(argv[1], "prove") == 0)
    return pbc::driver::proveCommand(argc - 1, argv + 1);
  if (argc > 1 && std::strcmp(argv[1], "emulate") == 0)
    return pbc::driver::emulateCommand(argc - 1, argv + 1);
  const bool explains = argc > 1 && std::strcmp(argv[1], "explain") == 0;
  if (explains && pbc::tuner::explainsProgram(argc - 1, argv + 1))
    return pbc::tuner::explainCommand(argc - 1, argv + 1);
  if (argc > 1 && !explains && isMisspeltCommand(argv[1]))
    return 1;
  const auto parsed = pbc::driver::parseOptions(argc - explains, argv + explains, explains);
  return parsed.run ? pbc::driver::compileProgram(parsed.options) : parsed.status;
}

/// If standard output or error is closed, a file must not take its descriptor. Writing to standard output
/// then fails, as it should.
void occupyStandardDescriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (fcntl(descriptor, F_GETFD) < 0)
      open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR); // the lowest one that is free
}

} // namespace

int main(int argc, char **argv) {
  occupyStandardDescriptors();
  int status = 1, why = 0;
  try {
    status = command(argc, argv);
  } catch (const std::system_error &problem) { // from fmt::print: the reader of the output has ended
    why = problem.code().value();
  }
  // The reader of the output must not take a part of it for all of it.
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return status;
  if (why == 0)
    why = errno;
  std::fprintf(stderr, "pbc: error: standard output cannot be written: %s\n", std::strerror(why));
  return status ? status : 1;
}
