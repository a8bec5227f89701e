// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/private_matrices.h"

namespace pbc::schedule {
namespace {

/// The matrices that the bodies of a step read or write.
std::set<int> touched(const sema::Transform &t, const Step &step) {
  std::set<int> all;
  for (const RuleUse &use : step.uses)
    for (const auto *bindings : {&t.rules[use.rule].inputs, &t.rules[use.rule].outputs})
      for (const sema::Binding &b : *bindings)
        all.insert(b.matrix);
  return all;
}

} // namespace

std::set<int> privateMatrices(const sema::Transform &t, const TransformPlans &plans, const Step &step) {
  std::set<int> own = touched(t, step);
  std::erase_if(own, [&](int m) { return t.matrices[m].role != sema::Role::Through; });
  for (const Plan &plan : plans.plans)
    for (const Step &other : plan.steps)
      if (!own.empty() && !isSameStep(step, other))
        for (const int m : touched(t, other))
          own.erase(m);
  return own;
}

} // namespace pbc::schedule
