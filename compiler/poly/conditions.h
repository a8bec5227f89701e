// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints conditions for messages in the way a program writes them.
//
//   { B[x, y] : y <= -1 + x and 2*floor((x)/2) = x }   =>   "x > y and x even"
//
// Names are those of the set's dimensions and parameters, unmangled.
#pragma once
#include <isl/cpp.h>
#include <optional>
#include <string>

namespace pbc::poly {

/// The constraints of a set, as a disjunction of conjunctions: "x > y or x = 0"; "" if there are none,
/// nothing if a constraint has no such form.
std::optional<std::string> conditions(const isl::set &);

} // namespace pbc::poly
