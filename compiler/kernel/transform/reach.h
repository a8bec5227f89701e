// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How far from 0 the values of loops can be. Sizes and coordinates are integers of 32 bits, and loops count in 64 bits; steps
// that multiply, one after the other, would leave these.
//
//   skew(x, y; 1000)     x + 1000 y                 43 bits
//   skew(y, x; 1000)     y + 1000 (x + 1000 y)      refused: the bounds of the loops inside are multiples of such values
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// The label of a loop whose values are too large for a bound to be computed of them in 64 bits; "" if there is none.
std::string loopThatGoesTooFar(const Scheduled &);

} // namespace pbc::kernel
