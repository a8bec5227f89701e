// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/term.h"
#include <algorithm>
#include <cmath>

namespace pbc::search {
namespace {

/// `together`: so many of the operations may be in one instruction; infinite, if there may be vectors.
void keepInstructions(TermValue &best, double operations, double together, double lanes, double rate) {
  if (!(together < HUGE_VAL))
    return;
  const double amount = operations / std::clamp(together, 1.0, lanes);
  if (rate > 0 && amount / rate > best.seconds)
    best = {amount / rate, amount, rate, "instructions", -1, {}};
}

TermValue scalar(const TermInput &input) {
  TermValue best;
  const double all = input.view.sideBySide(true), withoutSums = input.view.sideBySide(false);
  for (std::size_t n = 0; n < kNumbers; ++n) {
    const NestWork::Operations &operations = input.work.operations[n];
    const NestWork::Together &together = input.work.together[n];
    const Rates::Arithmetic &rates = input.rates.arithmetic[n];
    // Where nothing is multiplied, nothing is added by an instruction that multiplies as well.
    keepInstructions(best, operations.additions, together.additions * (together.isOneSum ? withoutSums : all),
                     rates.lanes,
                     operations.multiplications > 0 ? rates.instructions : rates.additionInstructions);
    keepInstructions(best, operations.multiplications, together.multiplications * all, rates.lanes,
                     rates.multiplicationInstructions);
  }
  return best;
}

} // namespace

Term scalarTerm() {
  return {"scalar", "(8)",
          "Without vectors, an instruction does one operation, or as many as loops that are written out put "
          "side by "
          "side.",
          "A vector, along a loop whose iterations are independent.", scalar};
}

} // namespace pbc::search
