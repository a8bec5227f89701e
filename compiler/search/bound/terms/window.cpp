// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/term.h"
#include <algorithm>

namespace pbc::search {
namespace {

/// The innermost loop adds to the same cells in each iteration, so that its iterations wait for each other. Loops that follow each
/// other overlap as far as the processor looks ahead.
TermValue window(const TermInput &input) {
  TermValue best;
  const auto loop = input.view.innermostLoop();
  if (!loop || !loop->isOfSum)
    return best;
  for (std::size_t n = 0; n < kNumbers; ++n) {
    if (input.work.operations[n].additions < input.work.points)
      continue;
    const Rates::Arithmetic &rates = input.rates.arithmetic[n];
    const double instructions = loop->iterations * std::max(1.0, loop->copies / rates.lanes);
    const double together = input.rates.instructionsInFlight / instructions + 2;
    const double seconds = loop->runs * rates.additionLatency / together;
    if (seconds > best.seconds)
      best = {
          seconds, loop->runs,     together / rates.additionLatency, "iterations that wait for each other",
          -1,      loop->dimension};
  }
  return best;
}

} // namespace

Term windowTerm() {
  return {"window", "(4)",
          "Each iteration of the innermost loop adds to what the one before it has added, and a processor "
          "looks ahead only so far.",
          "More sums at once inside of this loop (unroll), or another loop innermost.", window};
}

} // namespace pbc::search
