// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/caches.h"
#include <unistd.h>

namespace pb {

// If the system does not report the size, a common size is assumed.
extern "C" long pb_cache_bytes(int level) {
  static const long first = [] {
    const long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    return bytes > 0 ? bytes : 32L << 10;
  }();
  static const long second = [] {
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? bytes : 1L << 20;
  }();
  return level == 1 ? first : second;
}

} // namespace pb
