// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// pb_main: what `PROG [options] IN... OUT...` does, from the command line to the exit status.
#include "runtime/base/errors.h"
#include "runtime/base/random.h"
#include "runtime/base/run_state.h"
#include "runtime/config/configuration.h"
#include "runtime/program/command.h"
#include "runtime/program/devices.h"
#include "runtime/program/processor.h"
#include "runtime/program/serve.h"
#include "runtime/task/large_stack.h"
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

namespace pb {
namespace program {
namespace {

std::vector<config::DeviceInfo> devicesOf(const Program &program) {
  std::vector<config::DeviceInfo> all;
  for (const auto &device : availableDevices(program))
    all.push_back({device.id, device.about.name, device.about.driver});
  return all;
}

int dispatch(const Program &program, const std::string &self, const std::vector<std::string> &arguments) {
  const Options options = parseOptions(arguments);
  const Transform &transform = options.transform.empty() ? *program.transforms[program.mainTransform]
                                                         : requireTransform(program, options.transform);
  if (options.help)
    return std::fputs(help(program, transform).c_str(), stdout), 0;
  if (options.name)
    return std::puts(transform.name), 0;
  setDevices({options.devices, options.trace});
  if (options.info)
    return std::puts(config::infoJson(program, devicesOf(program)).c_str()), 0;
  if (options.reset)
    return resetConfiguration(program, options, self), 0;
  int threads = 0;
  configure(program, options, self, &threads);
  if (options.threads)
    threads = options.threads;
  if (options.printConfig)
    return std::fputs(config::describe(program).c_str(), stdout), 0;
  threads = threadCount(threads);
  base::seedThreads(options.seed);
  base::setTraining(options.serve);
  if (options.serve)
    return serve(program, transform, threads, options.channel);
  return runCommand(program, transform, options, threads);
}

/// The name under which the program was called; the source's where that is unknown.
const char *nameOf(const char *self, const Program &program) {
  const char *const slash = std::strrchr(self, '/');
  const char *const name = slash ? slash + 1 : self;
  return *name ? name : program.name;
}

struct CommandLine {
  const Program *versions;
  int count, argc;
  char **argv;
  int status = 1;
};

int mainOf(const CommandLine &in) {
  try {
    if (in.versions->abiVersion != kAbiVersion)
      throw base::UserError("compiled for runtime interface " + std::to_string(in.versions->abiVersion) +
                            ", linked with " + std::to_string(kAbiVersion) + " (compile the program again)");
    const int status = dispatch(versionForThisProcessor(in.versions, in.count), in.argc ? in.argv[0] : "",
                                {in.argv + (in.argc ? 1 : 0), in.argv + in.argc});
    if (std::fflush(stdout) && !status)
      throw base::UserError("standard output cannot be written");
    return status;
  } catch (const UsageError &e) {
    base::printError(e.what());
    std::fputs(e.usage.c_str(), stderr);
  } catch (const std::bad_alloc &) {
    base::printError("not enough memory");
  } catch (const std::exception &e) {
    base::printError(e.what());
  } catch (...) {
    base::printError(
        "the code of the program, a rule body or a condition, threw an exception of an unknown type");
  }
  return 1;
}

} // namespace
} // namespace program

// The thread that runs transforms is one of the workers, and needs a stack as large as theirs.
extern "C" int pb_main(const Program *versions, int count, int argc, char **argv) {
  base::setProgramName(program::nameOf(argc ? argv[0] : "", *versions));
  program::CommandLine in{versions, count, argc, argv};
  try {
    const pthread_t thread = task::startOnLargeStack(
        [](void *given) -> void * {
          auto *const line = static_cast<program::CommandLine *>(given);
          line->status = program::mainOf(*line);
          return nullptr;
        },
        &in);
    pthread_join(thread, nullptr);
    return in.status;
  } catch (const std::system_error &e) {
    base::printError(e.what());
    return 1;
  }
}

} // namespace pb
