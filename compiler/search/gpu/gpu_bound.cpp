// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_bound.h"
#include <fmt/format.h>

namespace pbc::search {

GpuTermValue GpuBounds::term(int term, const State &state) const {
  const GpuView view(space_, work_, state);
  return gpuTerms()[std::size_t(term)].value(GpuInput(view, rates_));
}

GpuBound GpuBounds::of(const State &state) const {
  const GpuView view(space_, work_, state);
  const GpuInput input(view, rates_);
  GpuBound best;
  for (std::size_t t = 0; t < gpuTerms().size(); ++t) {
    if (isOff_[t])
      continue;
    const GpuTermValue value = gpuTerms()[t].value(input);
    if (value.seconds > best.seconds * (1 + 1e-6))
      best = {value.seconds, int(t), value};
  }
  return best;
}

std::string GpuBounds::explain(const GpuBound &bound) {
  if (bound.term < 0)
    return "there is no bound";
  const GpuTerm &term = gpuTerms()[std::size_t(bound.term)];
  const GpuTermValue &value = bound.value;
  std::string text = fmt::format("{}: ", term.verdict);
  if (value.waves > 0)
    text += fmt::format("{:.3g} waves of ", value.waves);
  text += fmt::format("{:.3g} {}", value.amount, value.of);
  if (value.rate != 1)
    text += fmt::format(", at {:.3g} a second at most", value.rate);
  return fmt::format("{}, equation {}. {} {}", text, term.equation, term.doc, term.remedy);
}

} // namespace pbc::search
