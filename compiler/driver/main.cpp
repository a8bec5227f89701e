// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// pbc: the compiler and its subcommands.
#include "compiler/driver/commands.h"
#include "runtime/base/closest.h"
#include "runtime/base/visible.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace {

/// Reports a first word that is no file and nearly the name of a command.
bool isMisspeltCommand(const std::string &word) {
  if (word.empty() || word[0] == '-' || word.find_first_of("/.") != std::string::npos ||
      access(word.c_str(), F_OK) == 0)
    return false;
  std::vector<std::string> names;
  for (const pbc::driver::Command &c : pbc::driver::commands())
    names.emplace_back(c.name);
  const std::string near = pb::base::closest(word, names);
  if (near.empty())
    return false;
  std::fprintf(stderr,
               "pbc: error: there is no command or file '%s' (did you mean '%s'?)\n"
               "help: pbc --help lists the commands\n",
               pb::base::visible(word).c_str(), near.c_str());
  return true;
}

int command(int argc, char **argv) {
  if (argc > 1)
    for (const pbc::driver::Command &c : pbc::driver::commands())
      if (argv[1] == c.name)
        return c.run(argc - 1, argv + 1);
  return argc > 1 && isMisspeltCommand(argv[1]) ? 1 : pbc::driver::compileCommand(argc, argv);
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
