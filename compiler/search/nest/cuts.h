// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All ways to cut loops into levels.
//
//   eachCut({2, 1}, visit)   visits (0, 0) (1, 0) (2, 0) (0, 1) (1, 1) (2, 1)
#pragma once
#include <vector>

namespace pbc::search {

/// Calls `visit` for each list of numbers from 0 to its maximum.
template <class Visit>
void eachCut(const std::vector<int> &most, const Visit &visit) {
  std::vector<int> cuts(most.size(), 0);
  for (;;) {
    visit(cuts);
    std::size_t at = 0;
    while (at < cuts.size() && ++cuts[at] > most[at])
      cuts[at++] = 0;
    if (at == cuts.size())
      return;
  }
}

} // namespace pbc::search
