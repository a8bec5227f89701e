// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/instructions.h"
#include <algorithm>
#include <cmath>

namespace pbc::search {
namespace {

/// Each cell that is written is stored at least once.
double leastStores(const TermInput &input) {
  double stores = 0;
  for (const NestWork::Array &array : input.work.arrays) {
    const double cells = input.view.cellsOfRow(array);
    if (array.isWritten && array.bytes > 0)
      stores += array.cells / std::min(cells, std::max(1.0, input.rates.vectorBytes / double(array.bytes)));
  }
  return stores;
}

TermValue issue(const TermInput &input) {
  // An addition may be a part of an instruction that multiplies, and a load of one that computes; the end of an iteration is an
  // instruction that counts, compares and jumps.
  double amount = 0;
  for (std::size_t n = 0; n < kNumbers; ++n) {
    const Instructions instructions = leastInstructions(input, Number(n));
    amount += std::max(instructions.additions, instructions.multiplications);
  }
  TermValue best;
  if (amount == 0) // a compiler may make a call of a loop that only copies or fills
    return best;
  const double turns = input.view.iterations();
  amount += turns + leastStores(input);
  const auto keep = [&](double amount, double rate, std::string_view of) {
    if (rate > 0 && amount / rate > best.seconds)
      best = {amount / rate, amount, rate, of, -1, {}};
  };
  keep(amount, input.rates.issue, "instructions of all kinds");
  keep(turns, input.rates.jumps, "jumps to the next iteration");
  return best;
}

} // namespace

Term issueTerm() {
  return {
      "issue", "(3), issue width",
      "A core begins only so many instructions in a cycle, and each iteration of a loop has one to end it.",
      "Longer iterations: a vector, or a loop that is written out.", issue};
}

} // namespace pbc::search
