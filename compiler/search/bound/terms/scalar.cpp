// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/term.h"
#include <algorithm>

namespace pbc::search {
namespace {

TermValue scalar(const TermInput &input) {
  TermValue best;
  if (input.view.mayHaveVectors())
    return best;
  for (std::size_t n = 0; n < kNumbers; ++n) {
    const NestWork::Operations &operations = input.work.operations[n];
    const double amount = std::max(operations.additions, operations.multiplications),
                 rate = input.rates.arithmetic[n].instructions;
    if (rate > 0 && amount / rate > best.seconds)
      best = {amount / rate, amount, rate, "instructions for one number each", -1, {}};
  }
  return best;
}

} // namespace

Term scalarTerm() {
  return {"scalar", "(8)", "Loops that are neither vectors nor written out do one operation an instruction.",
          "A vector, along a loop whose iterations are independent.", scalar};
}

} // namespace pbc::search
