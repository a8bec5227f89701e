// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/term.h"
#include <algorithm>

namespace pbc::search {
namespace {

void keepLarger(TermValue &best, double amount, double rate, std::string_view of) {
  if (rate > 0 && amount / rate > best.seconds)
    best = {amount / rate, amount, rate, of, -1, {}};
}

TermValue compute(const TermInput &input) {
  TermValue best;
  for (std::size_t n = 0; n < kNumbers; ++n) {
    const NestWork::Operations &operations = input.work.operations[n];
    const Rates::Arithmetic &rates = input.rates.arithmetic[n];
    const bool isFloat = n == std::size_t(Number::Float);
    // As many additions as there are multiplications may be done by instructions that multiply as well, in units of their own.
    const double alone = std::max(0.0, operations.additions - operations.multiplications);
    keepLarger(best, alone, rates.additions,
               isFloat ? "additions of floats alone" : "additions of doubles alone");
    keepLarger(best, operations.additions, rates.allAdditions,
               isFloat ? "additions of floats" : "additions of doubles");
    keepLarger(best, operations.multiplications, rates.multiplications,
               isFloat ? "multiplications of floats" : "multiplications of doubles");
    keepLarger(best, operations.divisions, rates.divisions,
               isFloat ? "divisions of floats" : "divisions of doubles");
    keepLarger(best, operations.roots, rates.roots,
               isFloat ? "square roots of floats" : "square roots of doubles");
  }
  return best;
}

} // namespace

Term computeTerm() {
  return {"compute",
          "(8)",
          "All operations are done by the units of one core, in its widest vectors at best.",
          "Fewer operations, or a smaller type.",
          compute,
          true,
          true};
}

} // namespace pbc::search
