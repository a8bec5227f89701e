// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numbers in messages, as a user would write them.
//
//   number(0.1) == "0.1"     number(1e-20) == "1e-20"     number(2.0 / 3, 6) == "0.666667"
#pragma once
#include <string>

namespace pb::base {

/// Prints at most `digits` (1 to 17) significant digits, without trailing zeros.
std::string number(double value, int digits = 15);

} // namespace pb::base
