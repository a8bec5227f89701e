// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/dialect.h"
#include "runtime/device/dialect_math.h"

namespace pb::device {

std::string kernelText(const char *prelude, const KernelSource &source) {
  std::string text;
  for (int d = 0; d < 3; ++d)
    text += "#define PB_G" + std::to_string(d) + " " + std::to_string(source.group[d]) + "\n";
  if (source.dynamicBytes > 0)
    text += "#define PB_DYNAMIC_BYTES " + std::to_string(source.dynamicBytes) + "\n";
  return text + prelude + kDialectMath + "#line 1 \"" + source.entry + "\"\n" + source.text;
}

} // namespace pb::device
