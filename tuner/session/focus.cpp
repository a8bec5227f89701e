// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session/focus.h"

#include "tuner/evaluate/child_process.h"
#include "tuner/evaluate/steps.h"
#include "tuner/session_start.h"

#include <algorithm>

namespace pbc::tuner {

Focus focusOn(const SessionContext &context, const std::vector<std::string> &bins, std::size_t bin,
              const StartingPoint &start) {
  const TuneOptions &options = context.options;
  Focus focus;
  focus.time.begin = steadySeconds();
  focus.space = describeProgram(context.program, options.program, bins[bin], options.threads);
  ProgramSpace &space = focus.space;
  const auto isDecided = [&](const std::string &transform) {
    return transform != space.main &&
           (bin > 0 || std::find(bins.begin(), bins.end(), transform) != bins.end());
  };
  focus.hasStart = start.configuration != Configuration::defaults(space);
  startFrom(space, start.configuration);
  for (auto &site : space.sites)
    site.isFixed = isDecided(site.transform);
  for (auto &tunable : space.tunables)
    tunable.isFixed |= isDecided(tunable.transform);
  focus.time.seconds = budgetOf(options) / static_cast<double>(bins.size());
  focus.time.isLimited = isLimitedInTime(options);
  if (options.refresh) {
    const int all = std::max(space.openDecisions(), 1);
    start.plan.fix(space);
    const double share = start.plan.isOtherMachine ? 0 : static_cast<double>(space.openDecisions()) / all;
    if (options.budget <= 0 && options.trials == 0)
      focus.time.seconds *= std::max(share, 0.1);
  }
  return focus;
}

void startFrom(ProgramSpace &space, const Configuration &configuration) {
  for (std::size_t i = 0; i < space.sites.size(); ++i)
    space.sites[i].initial = configuration.selectors()[i];
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    space.tunables[i].initial = configuration.tunables()[i];
}

Configuration openByDefault(const ProgramSpace &space, const Configuration &byDefault) {
  Configuration result = byDefault;
  for (std::size_t i = 0; i < space.sites.size(); ++i)
    if (space.sites[i].isFixed)
      result = result.withSelector(static_cast<int>(i), space.sites[i].initial);
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (space.tunables[i].isFixed)
      result = result.withTunable(static_cast<int>(i), space.tunables[i].initial);
  return result;
}

} // namespace pbc::tuner
