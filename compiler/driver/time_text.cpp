// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/time_text.h"
#include <fmt/format.h>

namespace pbc::driver {

std::string timeText(double seconds) {
  if (seconds < 1e-6)
    return fmt::format("{:.4g} ns", seconds * 1e9);
  if (seconds < 1e-3)
    return fmt::format("{:.4g} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.4g} ms", seconds * 1e3) : fmt::format("{:.4g} s", seconds);
}

} // namespace pbc::driver
