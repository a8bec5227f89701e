// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows quickly that regions with strides cover a matrix together.
//
//   whole { B[x] : 0 <= x < n }, parts { x mod 3 = 0 }, { x mod 3 = 1 }, { x mod 3 = 2 }   =>  true
//
// Subtracting the parts one after the other takes isl a time that grows with the cube of their number, because each part
// brings an integer division of its own.
#pragma once
#include "compiler/poly/poly.h"

namespace pbc::choice {

/// False also if the parts cover `whole` in another way.
bool coverByRemainders(const isl::set &whole, const std::vector<isl::set> &parts);

} // namespace pbc::choice
