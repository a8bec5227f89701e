// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/caches.h"
#include <fstream>
#include <string>
#include <unistd.h>

namespace pb {
namespace {

/// What a file of the system says of a cache, such as "32768K"; 0 if there is no such file.
long numberOf(const std::string &path) {
  std::ifstream file(path);
  long value = 0;
  char unit = 0;
  if (!(file >> value))
    return 0;
  file >> unit;
  return unit == 'K' ? value << 10 : unit == 'M' ? value << 20 : value;
}

/// The third cache that the first core uses. Some C libraries report those of all cores of a processor together: ten times as much.
long thirdCache() {
  const std::string caches = "/sys/devices/system/cpu/cpu0/cache/index";
  for (int index = 0;; ++index) {
    const std::string cache = caches + std::to_string(index);
    const long level = numberOf(cache + "/level");
    if (level == 3)
      return numberOf(cache + "/size");
    if (level == 0 && index > 0)
      return 0;
    if (level == 0)
      break; // the system says nothing
  }
  const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? bytes : 0;
}

} // namespace

// If the system does not report the size of the first or of the second one, a common size is assumed.
extern "C" long pb_cache_bytes(int level) {
  static const long first = [] {
    const long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    return bytes > 0 ? bytes : 32L << 10;
  }();
  static const long second = [] {
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? bytes : 1L << 20;
  }();
  static const long third = thirdCache();
  return level == 1 ? first : level == 2 ? second : third;
}

} // namespace pb
