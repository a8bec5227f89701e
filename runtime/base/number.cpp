// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/number.h"
#include <cstdio>

namespace pb::base {

std::string number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

} // namespace pb::base
