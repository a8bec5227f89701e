// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/machine.h"
#include <fstream>
#include <unistd.h>

namespace pb::base {
namespace {

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (const size_t colon = line.find(": "); line.starts_with("model name") && colon != line.npos)
      return line.substr(colon + 2);
  return "unknown processor";
}

long known(int name) {
  const long value = sysconf(name);
  return value > 0 ? value : 0;
}

} // namespace

Machine thisMachine() {
  Machine machine;
  machine.processor = processorName();
  machine.cores = static_cast<int>(known(_SC_NPROCESSORS_ONLN));
  machine.firstCache = known(_SC_LEVEL1_DCACHE_SIZE);
  machine.secondCache = known(_SC_LEVEL2_CACHE_SIZE);
  machine.thirdCache = known(_SC_LEVEL3_CACHE_SIZE);
  return machine;
}

} // namespace pb::base
