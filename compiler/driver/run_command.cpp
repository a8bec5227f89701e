// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/run_command.h"
#include "compiler/driver/problems.h"
#include <cstdio>
#include <fmt/format.h>
#include <new>

namespace pbc::driver {

int runCommand(const std::string &command, const std::function<std::string()> &make) {
  try {
    const std::string text = make();
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  } catch (const Refusal &problem) {
    say(problem.what());
  } catch (const std::bad_alloc &) {
    say(command + ": error: this needs more memory than the system gives\n");
  } catch (const std::exception &problem) {
    say(fmt::format("{}: internal error: {}\nhelp: this is a fault of pbc; please report it with the input "
                    "and this message\n",
                    command, problem.what()));
  }
  return 1;
}

} // namespace pbc::driver
