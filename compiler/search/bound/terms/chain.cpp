// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/term.h"

namespace pbc::search {
namespace {

TermValue chain(const TermInput &input) {
  TermValue best;
  for (const NestWork::Chain &chain : input.work.chains) {
    const Rates::Arithmetic &rates = input.rates.arithmetic[std::size_t(chain.number)];
    const double latency = chain.isProduct ? rates.multiplicationLatency : rates.additionLatency;
    const double seconds = chain.length * latency;
    if (seconds > best.seconds)
      best = {seconds, chain.length, 1 / latency, "operations that wait for each other", -1, {}};
  }
  return best;
}

} // namespace

Term chainTerm() {
  return {"chain",
          "(4)",
          "Each term of a sum waits for the one before it, since sums may not be reordered.",
          "Several sums (partial_sums), or `fast`, which allows another order.",
          chain,
          true};
}

} // namespace pbc::search
