// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/refused_configuration.h"
#include "tuner/evaluate/child_process.h"
#include <filesystem>
#include <sstream>

namespace pbc::driver {

std::optional<std::string> refusedConfiguration(const std::string &program, const std::string &file) {
  constexpr double kPatience = 10; // seconds
  tuner::ChildProcess child({std::filesystem::absolute(program).string(), "--noconfig", "--print-config"},
                            {});
  std::string line;
  while (child.readLine(kPatience, &line) == tuner::ChildProcess::Read::Line) {
  }
  child.waitForEnd(kPatience);
  if (child.endedBySignal() || child.exitStatus() == 0)
    return std::nullopt;
  // The runtime's messages about it begin with this text; other lines are about the run.
  static const std::string place = "baked configuration:";
  std::string messages;
  std::istringstream said(child.errors());
  while (std::getline(said, line))
    if (line.starts_with(place))
      messages += file + ":" + line.substr(place.size()) + "\n";
  return messages + "pbc: error: the configuration " + file + " does not fit the program\n";
}

} // namespace pbc::driver
