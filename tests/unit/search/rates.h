// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rates with which bounds can be worked out by hand.
#pragma once
#include "compiler/search/bound/rates.h"

namespace pbc::search {

/// 1e9 additions and as many multiplications a second, or both in one; a nanosecond for each; 1000 bytes of registers, 10,000 of
/// cache, 1e9 bytes a second to the one and 1e8 to the other.
inline Rates simpleRates() {
  Rates rates;
  for (Rates::Arithmetic &arithmetic : rates.arithmetic)
    arithmetic = {1e9, 2e9, 1e9, 1e8, 1e8, 1e-9, 1e-9, 1e8, 10, 5e7, 4e7};
  rates.levels = {{"registers", 1000, 0}, {"L1", 11000, 1e9}, {"global", 1e12, 1e8}};
  rates.instructionsInFlight = 100;
  return rates;
}

} // namespace pbc::search
