// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads and writes a tunable's slot as numbers, whatever its kind.
//
//   sizespecific array(2):  values 0, 1 are the elements for sizes 0 and 1
//                           values 2, 3 for sizes 2 and 3
//                           values 4, 5 for sizes 4 to 7; ...
#pragma once
#include "runtime/abi/program.h"
#include <cmath>

namespace pb::config {

inline double value(const Tunable &t, int index) {
  return t.kind == TunableKind::Integer ? static_cast<double>(t.integerSlot[index]) : t.floatSlot[index];
}

inline void setValue(const Tunable &t, int index, double v) {
  if (t.kind == TunableKind::Integer)
    t.integerSlot[index] = std::lround(v);
  else
    t.floatSlot[index] = v;
}

} // namespace pb::config
