// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/machine.h"
#include "runtime/base/caches.h"
#include <algorithm>
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

/// The number at the beginning of a file of the kernel; 0 for "max" and for a file that does not exist.
long numberIn(const std::string &path) {
  std::ifstream file(path);
  long value = 0;
  return file >> value ? value : 0;
}

/// The smallest limit of the control groups of this process up to the root (version 2), or of version 1's.
long limitOfGroups() {
  long least = 0;
  const auto consider = [&](long limit) {
    if (limit > 0 && (least == 0 || limit < least))
      least = limit;
  };
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("0::"))
      continue;
    for (std::string group = line.substr(3); !group.empty();
         group.erase(std::min(group.rfind('/'), group.size() - 1)))
      consider(numberIn("/sys/fs/cgroup" + group + "/memory.max"));
  }
  consider(numberIn("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  return least;
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
  machine.thirdCache = pb_cache_bytes(3);
#if defined(__x86_64__)
  const bool isWide = __builtin_cpu_supports("avx512f"), isMiddle = __builtin_cpu_supports("avx");
  machine.vectorBytes = isWide ? 64 : isMiddle ? 32 : 16;
  machine.vectorRegisters = isWide ? 32 : 16;
#endif
  return machine;
}

Machine typicalMachine() {
  constexpr long kKiB = 1024;
  return {"typical", 8, 32 * kKiB, 1024 * kKiB, 32 * 1024 * kKiB, 32, 16};
}

long memoryOfMachine() {
  const long machine = known(_SC_PHYS_PAGES) * known(_SC_PAGESIZE), groups = limitOfGroups();
  return groups > 0 && (machine == 0 || groups < machine) ? groups : machine;
}

} // namespace pb::base
