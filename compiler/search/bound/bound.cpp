// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/bound.h"
#include <fmt/format.h>

namespace pbc::search {

TermValue Bounds::term(int term, const State &state) const {
  const NestView view(nest_, state);
  const TermValue own = terms()[std::size_t(term)].value({work_, view, rates_}),
                  ofAll = ofAllCores(terms()[std::size_t(term)], view);
  return own.seconds >= ofAll.seconds ? own : ofAll;
}

/// Whatever the cores share, they have to do all of the work.
TermValue Bounds::ofAllCores(const Term &term, const NestView &view) const {
  if (ofAllCores_ == nullptr || nest_.workOfAll == nullptr || !term.isOfWork)
    return {};
  return term.value({*nest_.workOfAll, view, *ofAllCores_});
}

Bound Bounds::of(const State &state) const {
  const NestView view(nest_, state);
  Bound best;
  for (std::size_t t = 0; t < terms().size(); ++t) {
    if (isOff_[t])
      continue;
    const TermValue value = terms()[t].value({work_, view, rates_});
    // Of two that are the same, the first one is the simpler explanation.
    if (value.seconds > best.seconds * (1 + 1e-6))
      best = {value.seconds, int(t), value};
    if (const TermValue ofAll = ofAllCores(terms()[t], view); ofAll.seconds > best.seconds * (1 + 1e-6))
      best = {ofAll.seconds, int(t), ofAll, true};
  }
  return best;
}

std::string sentences(const Bound &bound, const Rates &rates, const Structure &structure) {
  if (bound.term < 0)
    return "there is no bound";
  const Term &term = terms()[std::size_t(bound.term)];
  std::string text = fmt::format("{}: {:.3g} {}", term.name, bound.value.amount, bound.value.of);
  if (bound.value.level >= 0)
    text += fmt::format(" from {}", rates.levels[std::size_t(bound.value.level)].name);
  if (bound.isOfAllCores)
    text += ", by all cores together";
  if (bound.value.dimension)
    text += fmt::format(", in the steps of {}", structure.nameOf(*bound.value.dimension));
  return fmt::format("{}, at {:.3g} a second at most, equation {}. {}", text, bound.value.rate, term.equation,
                     term.doc);
}

std::string Bounds::explain(const Bound &bound) const {
  return sentences(bound, rates_, nest_.space->structure());
}

} // namespace pbc::search
