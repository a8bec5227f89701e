// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds a common time for matrices whose versions count differently, in which no dependence goes back.
//
//   V<t> from U<2*t>;  U<2*t+1>, U<2*t+2> from V<t>     =>   version v of U at v, of V at 2 * v
//   P<t> from Q<t+1>;  Q<t> from P<t-2>                 =>   version v of P at v + 1, of Q at v
//
// The factors follow from the dependences whose versions are multiples of each other. The offsets are the least ones that keep
// dependences from going back (a system of difference constraints: Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, 24.4).
// Invariant: if a dependence goes back in the result, nothing is returned.
#pragma once
#include <isl/cpp.h>
#include <optional>
#include <vector>

namespace pbc::schedule {

/// Which version of a matrix each point of a use of a rule writes.
struct VersionsOfUse {
  int matrix;
  isl::pw_aff version;
};

/// { point -> time } of all the uses' points. `dependences`: { point -> later point }.
std::optional<isl::union_pw_aff> alignVersions(const std::vector<VersionsOfUse> &,
                                               const isl::union_map &dependences);

} // namespace pbc::schedule
