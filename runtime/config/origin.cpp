// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include "runtime/config/origin.h"
#include "runtime/base/machine.h"

namespace pb::config {

Origin originOf(const Program &program, const toml::table &root) {
  Origin origin;
  origin.isOtherVersion = root["hash"].value_or(std::string(program.hash)) != program.hash;
  for (int i = 0; i < program.transformCount; ++i) {
    const Transform &t = *program.transforms[i];
    const auto hash = root[kMadeBy]["transforms"][t.name];
    if (hash && t.hash && hash.value_or<std::string>("") != t.hash)
      origin.changed.push_back(&t);
  }
  const auto machine = root[kMadeBy]["machine"];
  if (!machine.is_table())
    return origin;
  const base::Machine here = base::thisMachine();
  const std::string processor = machine["processor"].value_or(here.processor);
  const int cores = machine["cores"].value_or(here.cores);
  if (processor != here.processor || cores != here.cores)
    origin.otherMachine =
        processor + ", " + std::to_string(cores) + (cores == 1 ? " processor" : " processors");
  return origin;
}

Origin originOf(const Program &program, const std::string &text) {
  const toml::parse_result parsed = toml::parse(text);
  return parsed ? originOf(program, parsed.table()) : Origin{};
}

} // namespace pb::config
