// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/prove/rule_bound.h"
#include "compiler/search/bound/bound.h"
#include "compiler/search/prove/rates_of.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace pbc::search {
namespace {

/// Without what temporaries move. A product with such an operand moves less than the known bound of products.
NestWork without(NestWork work, const std::set<std::string> &temporaries) {
  const auto isTemporary = [&](const NestWork::Array &array) { return temporaries.contains(array.name); };
  if (std::erase_if(work.arrays, isTemporary) > 0)
    work.isProductOfMatrices = false;
  return work;
}

} // namespace

RuleBound ruleBound(const kernel::Scheduled &lifted, const RuleBoundOptions &options, const Rates &rates) {
  // The ways to begin are all that is needed: no term looks at tiles.
  const NestSpaces made = nestSpaces(
      lifted, {.values = options.values, .mostLevels = 0, .copiesInputs = false, .streamsBeyond = 0});
  RuleBound found;
  if (made.spaces.empty()) {
    found.why = made.why;
    return found;
  }
  const Rates ofAll = together(rates, options.cores);
  std::vector<NestWork> works;
  works.reserve(made.spaces.size());
  for (const NestSpace &nest : made.spaces)
    works.push_back(without(*nest.work, options.temporaries));
  for (std::size_t t = 0; t < terms().size(); ++t) {
    const Term &term = terms()[t];
    if (!term.isOfWork)
      continue;
    // A schedule may begin in any way.
    double least = HUGE_VAL;
    std::size_t of = 0;
    TermValue value;
    for (std::size_t k = 0; k < made.spaces.size(); ++k) {
      const TermValue one =
          Bounds(made.spaces[k], works[k], ofAll).term(int(t), State(made.spaces[k].space->problem()));
      if (one.seconds < least) {
        least = one.seconds;
        of = k;
        value = one;
      }
    }
    if (least <= found.seconds * (1 + 1e-6))
      continue;
    found = {least,
             "",
             std::string(term.name),
             std::string(value.of),
             Bounds(made.spaces[of], works[of], ofAll).explain({least, int(t), value}),
             std::string(term.remedy),
             term.addsUp};
  }
  if (found.seconds <= 0)
    found.why = "no term of the bound is about what it does";
  return found;
}

} // namespace pbc::search
