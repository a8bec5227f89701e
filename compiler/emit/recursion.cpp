// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which transforms can call themselves.
#include "compiler/emit/parts.h"

namespace pbc::emit {
namespace {

/// The transforms to which some chain of calls leads from this one, by index.
std::vector<bool> reached(const Input &in, int from) {
  std::vector<bool> seen(in.module.transforms.size(), false);
  std::vector<int> open = {from};
  while (!open.empty()) {
    const int caller = open.back();
    open.pop_back();
    for (const auto &facts : in.facts[caller])
      for (const auto &name : facts.callees)
        for (const auto *callee : in.module.family(name))
          if (!seen[callee->index])
            seen[callee->index] = true, open.push_back(callee->index);
  }
  return seen;
}

} // namespace

bool reachesItself(const Input &in, int transform) { return reached(in, transform)[transform]; }

bool mayRecurse(const Scope &scope) {
  const std::vector<bool> all = reached(scope.input, scope.transform.index);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k] && reachesItself(scope.input, static_cast<int>(k)))
      return true;
  return false;
}

} // namespace pbc::emit
