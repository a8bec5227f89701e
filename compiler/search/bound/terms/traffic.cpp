// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/term.h"

namespace pbc::search {
namespace {

/// What a level and those before it hold may be there from the beginning; all else comes from beyond.
TermValue traffic(const TermInput &input) {
  double bytes = 0;
  for (const NestWork::Array &array : input.work.arrays)
    bytes += array.cells * double(array.bytes);
  TermValue best;
  for (std::size_t level = 0; level + 1 < input.rates.levels.size(); ++level) {
    const double amount = bytes - input.rates.levels[level].bytes,
                 rate = input.rates.levels[level + 1].bytesPerSecond;
    if (rate > 0 && amount / rate > best.seconds)
      best = {amount / rate, amount, rate, "bytes", int(level) + 1, {}};
  }
  return best;
}

} // namespace

Term trafficTerm() {
  return {"traffic",
          "9.2, compulsory",
          "Each cell that is used crosses each boundary of the memory at least once.",
          "Smaller elements, or fusing the kernel with those that make or use its data.",
          traffic,
          true};
}

} // namespace pbc::search
