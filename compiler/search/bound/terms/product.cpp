// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/term.h"
#include <cmath>

namespace pbc::search {
namespace {

/// 2 m n k / sqrt(S) - 2 S words through a memory of S words, whatever the order of the operations.
TermValue product(const TermInput &input) {
  TermValue best;
  if (!input.work.isProductOfMatrices)
    return best;
  const double bytesOfWord = double(input.work.elementBytes);
  for (std::size_t level = 0; level + 1 < input.rates.levels.size(); ++level) {
    const double words = input.rates.levels[level].bytes / bytesOfWord;
    const double amount = (2 * input.work.points / std::sqrt(words) - 2 * words) * bytesOfWord,
                 rate = input.rates.levels[level + 1].bytesPerSecond;
    if (rate > 0 && amount / rate > best.seconds)
      best = {amount / rate, amount, rate, "bytes", int(level) + 1, {}};
  }
  return best;
}

} // namespace

Term productTerm() {
  return {"product",
          "9.4, known I/O bound",
          "A product of matrices moves so many words through a memory, whatever its tiles (Smith, Lowery, "
          "Langou, van de Geijn, 2019).",
          "Smaller elements; no schedule moves less.",
          product,
          true};
}

} // namespace pbc::search
