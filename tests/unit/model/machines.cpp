// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/model/machines.h"

#include "compiler/model/machine/machine_file.h"

namespace pbc::model {

const Machine &shipped(const std::string &name) {
  static std::map<std::string, Machine> read;
  if (!read.contains(name))
    read[name] = findMachine(PBC_SOURCE_DIR "/compiler/model/machines/" + name + ".toml");
  return read[name];
}

} // namespace pbc::model
