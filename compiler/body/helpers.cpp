// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/helpers.h"
#include <algorithm>

namespace pbc::body {
namespace {

/// Without regard to what it calls.
bool isOfNumbers(const sema::Transform &t) {
  return t.sizeVariables.empty() && t.bins.empty() && t.constants.empty() && !t.isMemoized &&
         std::ranges::all_of(t.matrices, [](const sema::Matrix &m) { return m.rank() == 0; }) &&
         std::ranges::none_of(t.rules, [](const sema::Rule &r) { return r.library.has_value(); });
}

} // namespace

void findHelpers(const sema::Module &module, std::vector<std::vector<Facts>> &facts) {
  std::vector<bool> isHelper(module.transforms.size(), false);
  const auto callsHelpers = [&](const Facts &f) {
    const auto isSpawned = [](const Edit &e) {
      return e.kind == Edit::Kind::Spawn || e.kind == Edit::Kind::Verify;
    };
    return std::ranges::none_of(f.edits, isSpawned) &&
           std::ranges::all_of(f.callees, [&](const std::string &name) {
             const auto family = module.family(name);
             return std::ranges::all_of(family, [&](const sema::Transform *t) {
               return isHelper[static_cast<std::size_t>(t->index)];
             });
           });
  };
  // What calls only helpers becomes one. Transforms that reach themselves never do.
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const sema::Transform &t : module.transforms) {
      const auto number = static_cast<std::size_t>(t.index);
      if (!isHelper[number] && isOfNumbers(t) && std::ranges::all_of(facts[number], callsHelpers))
        isHelper[number] = isChanged = true;
    }
  }
  for (std::vector<Facts> &ofTransform : facts)
    for (Facts &f : ofTransform)
      f.callsInPlace = !f.callees.empty() && callsHelpers(f);
}

} // namespace pbc::body
