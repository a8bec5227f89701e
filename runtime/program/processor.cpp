// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/processor.h"
#include "runtime/base/errors.h"
#include <cstdlib>
#include <cstring>

namespace pb::program {
namespace {

/// Whether this machine, including its operating system, supports that level.
bool runs(const char *level) {
#ifdef __x86_64__
  __builtin_cpu_init();
  return !std::strcmp(level, "x86-64") ||
         (!std::strcmp(level, "x86-64-v2") && __builtin_cpu_supports("x86-64-v2")) ||
         (!std::strcmp(level, "x86-64-v3") && __builtin_cpu_supports("x86-64-v3")) ||
         (!std::strcmp(level, "x86-64-v4") && __builtin_cpu_supports("x86-64-v4"));
#else
  (void)level;
  return true;
#endif
}

} // namespace

const Program &versionForThisProcessor(const Program *versions, int count) {
  if (count == 1)
    return *versions;
  if (const char *asked = std::getenv("PBC_CPU"); asked && *asked) {
    std::string all;
    for (int k = 0; k < count; ++k) {
      all += (k ? ", " : "") + std::string(versions[k].processor);
      if (std::strcmp(versions[k].processor, asked))
        continue;
      if (!runs(asked))
        throw base::UserError("PBC_CPU asks for " + std::string(asked) + ", which this processor is not");
      return versions[k];
    }
    throw base::UserError("PBC_CPU asks for " + std::string(asked) + "; the program has " + all);
  }
  for (int k = count - 1; k >= 0; --k)
    if (runs(versions[k].processor))
      return versions[k];
  throw base::UserError("the program needs a processor of the level " + std::string(versions[0].processor) +
                        " or above");
}

} // namespace pb::program
