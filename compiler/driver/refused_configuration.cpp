// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/refused_configuration.h"
#include "runtime/abi/pbc.h"
#include "tuner/evaluate/child_process.h"
#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace pbc::driver {
namespace {

constexpr unsigned kPatience = 10; // seconds

/// The runtime's messages about the configuration begin with `place`; other lines are about the run.
std::string refusal(const std::string &said, const std::string &file, const std::string &place) {
  std::string messages, line;
  std::istringstream lines(said);
  while (std::getline(lines, line))
    if (line.starts_with(place))
      messages += file + ":" + line.substr(place.size()) + "\n";
  return messages + "pbc: error: the configuration " + file + " does not fit the program\n";
}

/// Of a child process: makes a context of the library, and writes why that fails.
[[noreturn]] void makeContext(const std::string &library, int to) {
  alarm(kPatience);
  void *const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *const symbol = opened ? dlsym(opened, "pbc_this_library") : nullptr;
  if (!symbol)
    _exit(0);
  const pbc_library *const about = reinterpret_cast<const pbc_library *(*)()>(symbol)();
  pbc_options options{};
  options.configuration = "";
  pbc_context *context = nullptr;
  if (about->create(PBC_ABI_VERSION, &options, &context) == PBC_ERROR_CONFIGURATION) {
    const std::string_view message = about->message(context);
    if (write(to, message.data(), message.size()) < 0)
      _exit(1);
  }
  _exit(0);
}

} // namespace

std::optional<std::string> refusedConfiguration(const std::string &program, const std::string &file) {
  tuner::ChildProcess child({std::filesystem::absolute(program).string(), "--noconfig", "--print-config"},
                            {});
  std::string line;
  while (child.readLine(kPatience, &line) == tuner::ChildProcess::Read::Line) {
  }
  child.waitForEnd(kPatience);
  if (child.endedBySignal() || child.exitStatus() == 0)
    return std::nullopt;
  return refusal(child.errors(), file, "baked configuration:");
}

std::optional<std::string> refusedByLibrary(const std::string &library, const std::string &file) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return std::nullopt;
  const pid_t child = fork();
  if (child == 0)
    makeContext(std::filesystem::absolute(library), ends[1]);
  close(ends[1]);
  std::string said;
  char part[4096];
  for (ssize_t n; child > 0 && (n = read(ends[0], part, sizeof part)) != 0;)
    if (n > 0)
      said.append(part, static_cast<std::size_t>(n));
    else if (errno != EINTR)
      break;
  close(ends[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return said.empty() ? std::nullopt : std::optional(refusal(said, file, "built-in configuration:"));
}

} // namespace pbc::driver
