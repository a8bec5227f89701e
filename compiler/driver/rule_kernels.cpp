// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/rule_kernels.h"

#include "compiler/driver/passes.h"
#include "compiler/kernel/lift.h"
#include "compiler/schedule/private_matrices.h"

#include <algorithm>
#include <isl/schedule.h>

namespace pbc::driver {
namespace {

schedule::Step onlyRule(const schedule::Step &step, const schedule::RuleUse &use) {
  const isl::union_set points(use.domain);
  schedule::Step only = step;
  only.uses = {use};
  only.order = isl::manage(isl_schedule_intersect_domain(step.order.copy(), points.copy()));
  only.dependences = step.dependences.intersect_domain(points).intersect_range(points);
  return only;
}

} // namespace

void eachRuleKernel(Compilation &c, const std::function<void(const kernel::Kernel &)> &take) {
  for (const auto &t : c.module.transforms) {
    std::vector<schedule::Step> seen; // plans share most of their steps
    for (const auto &plan : c.plans[t.index].plans)
      for (const schedule::Step &step : plan.steps)
        for (const schedule::RuleUse &use : step.uses) {
          const schedule::Step only = onlyRule(step, use);
          const auto isSame = [&](const schedule::Step &other) { return schedule::isSameStep(other, only); };
          if (step.callsTransforms || std::ranges::any_of(seen, isSame))
            continue;
          seen.push_back(only);
          take(kernel::lift(t, only, c.facts[t.index], c.choices[t.index].grid, c.context,
                            schedule::privateMatrices(t, c.plans[t.index], step),
                            schedule::readElsewhere(t, c.choices[t.index].grid, c.plans[t.index], step),
                            &c.sources)
                   .kernel);
        }
  }
}

} // namespace pbc::driver
