// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What crosses the boundaries of memories, for terms that count it for each of them.
//
//   overBoundaries(rates, &Rates::Level::bytesPerSecond, "bytes", [](double held) { return 1e9 - held; })
//   =>  the largest of (1e9 - what registers hold) / rate of L1, (1e9 - what L1 holds) / rate of L2, ...
#pragma once
#include "compiler/search/bound/term.h"
#include <functional>

namespace pbc::search {

/// `amountBeyond(held)`: what crosses the boundary of memories that hold so many bytes together. `rateOf(level)`, or a member of the level:
/// a rate of 0 is not known.
template <class RateOf, class Amount>
TermValue overBoundaries(const Rates &rates, const RateOf &rateOf, std::string_view of,
                         const Amount &amountBeyond) {
  TermValue best;
  for (std::size_t level = 0; level + 1 < rates.levels.size(); ++level) {
    const double amount = amountBeyond(rates.levels[level].bytes),
                 rate = std::invoke(rateOf, rates.levels[level + 1]);
    if (rate > 0 && amount / rate > best.seconds)
      best = {amount / rate, amount, rate, of, int(level) + 1, {}};
  }
  return best;
}

} // namespace pbc::search
