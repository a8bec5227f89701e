// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session/machine_file.h"

#include "tuner/evaluate/child_process.h"

namespace pbc::tuner {

std::string machineFileOf(const std::string &given, const std::string &folder,
                          const std::function<void(const std::string &)> &note) {
  constexpr double kPatience = 120; // seconds
  if (!given.empty())
    return given;
  note("measuring the machine's rates for some seconds; pbc model measure -o FILE and --machine=FILE keep "
       "them");
  const std::string file = folder + "/machine.toml";
  outputOf({compilerPath(), "model", "measure", "--seconds=4", "--output=" + file}, kPatience);
  return file;
}

} // namespace pbc::tuner
