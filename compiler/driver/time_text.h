// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A time in a unit that leaves few digits in front of the point: "358.6 us".
#pragma once
#include <string>

namespace pbc::driver {

std::string timeText(double seconds);

} // namespace pbc::driver
