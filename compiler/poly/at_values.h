// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A set for given values of its parameters.
//
//   [n, m] -> { S[i] : 0 <= i < n + m }, { n: 8 }   =>   [n, m] -> { S[i] : n = 8 and 0 <= i < 8 + m }
#pragma once
#include <isl/cpp.h>
#include <map>
#include <string>

namespace pbc::poly {

/// Names that the set does not have are left aside.
isl::set atValues(isl::set, const std::map<std::string, long> &values);
/// Of a function of parameters alone, all of which have a value.
long atValues(const isl::pw_aff &, const std::map<std::string, long> &values);

} // namespace pbc::poly
