// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/term.h"

namespace pbc::search {
namespace {

/// Each step of a dimension touches more than a level holds: what is too much is loaded in each of them.
TermValue tiles(const TermInput &input) {
  TermValue best;
  for (const int dimension : input.view.dimensions()) {
    const NestView::Step step = input.view.step(dimension);
    double bytes = 0;
    for (const NestWork::Array &array : input.work.arrays)
      bytes += NestView::cells(array, step) * double(array.bytes);
    for (std::size_t level = 0; level + 1 < input.rates.levels.size(); ++level) {
      const double amount = step.times * (bytes - input.rates.levels[level].bytes),
                   rate = input.rates.levels[level + 1].bytesPerSecond;
      if (rate > 0 && amount / rate > best.seconds)
        best = {amount / rate, amount, rate, "bytes", int(level) + 1, dimension};
    }
  }
  return best;
}

} // namespace

Term tilesTerm() {
  return {"tiles", "9.2, tiles",
          "What a step of a loop uses and a memory does not hold is loaded again in each step.",
          "Smaller tiles inside of this loop, or another order of the loops.", tiles};
}

} // namespace pbc::search
