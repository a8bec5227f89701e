// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/instructions.h"

namespace pbc::search {
namespace {

TermValue scalar(const TermInput &input) {
  TermValue best;
  const auto keep = [&](double amount, double rate) {
    if (rate > 0 && amount / rate > best.seconds)
      best = {amount / rate, amount, rate, "instructions", -1, {}};
  };
  for (std::size_t n = 0; n < kNumbers; ++n) {
    const Instructions instructions = leastInstructions(input, Number(n));
    const Rates::Arithmetic &rates = input.rates.arithmetic[n];
    // Where nothing is multiplied, nothing is added by an instruction that multiplies as well.
    keep(instructions.additions,
         input.work.operations[n].multiplications > 0 ? rates.instructions : rates.additionInstructions);
    keep(instructions.multiplications, rates.multiplicationInstructions);
  }
  return best;
}

} // namespace

Term scalarTerm() {
  return {
      "scalar", "(8)",
      "An instruction does as many operations as vectors and loops that are written out put side by side.",
      "A vector, along a loop whose iterations are independent.", scalar};
}

} // namespace pbc::search
