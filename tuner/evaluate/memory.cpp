// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/memory.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <unistd.h>

namespace pbc::tuner {
namespace {

/// The number in a file of the kernel; nothing for "max" or a file that does not exist.
std::optional<long> numberIn(const std::string &path) {
  std::ifstream file(path);
  long value = 0;
  if (!(file >> value))
    return {};
  return value;
}

std::optional<long> freeInMachine() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (long kilobytes = 0; file >> name >> kilobytes; std::getline(file, unit))
    if (name == "MemAvailable:")
      return kilobytes * 1024;
  return {};
}

/// The free memory of the tuner's control groups up to the root (version 2), or of version 1's.
std::optional<long> freeInGroups() {
  std::optional<long> least;
  const auto consider = [&](const std::string &most, const std::string &used) {
    const auto limit = numberIn(most);
    if (limit)
      least = std::min(least.value_or(std::numeric_limits<long>::max()),
                       std::max(*limit - numberIn(used).value_or(0), 0L));
  };
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("0::"))
      continue;
    for (std::string group = line.substr(3);; group.erase(group.rfind('/'))) {
      const std::string folder = "/sys/fs/cgroup" + group;
      consider(folder + "/memory.max", folder + "/memory.current");
      if (group.find('/') == std::string::npos)
        break;
    }
  }
  consider("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes");
  return least;
}

} // namespace

long memoryShare() {
  std::optional<long> bytes = freeInMachine();
  if (const auto inGroups = freeInGroups())
    bytes = std::min(bytes.value_or(*inGroups), *inGroups);
  return bytes ? *bytes / 4 * 3 : 0;
}

long residentBytes(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/statm", process));
  long size = 0, resident = 0;
  if (!(file >> size >> resident))
    return 0;
  return resident * sysconf(_SC_PAGESIZE);
}

} // namespace pbc::tuner
