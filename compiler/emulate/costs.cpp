// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/costs.h"
#include <cmath>

namespace pbc::emulate {
namespace {

Time times(Time t, double factor) { return static_cast<Time>(std::llround(static_cast<double>(t) * factor)); }

constexpr double kRounding = 1e-9; // sums of rates are not exact

} // namespace

Costs::Costs(const Trace &trace, const Core &core, const std::optional<Change> &change)
    : resources_(core.resources.size()), issue_(core.issue), barrier_(core.barrier) {
  for (std::size_t region = 0; region < trace.regions.size(); ++region)
    for (const Core::Resource &resource : core.resources)
      table_.push_back(resource.cost);
  if (!change)
    return;
  const Parameter &p = change->parameter;
  if (p.resource == Parameter::kIssue)
    issue_ = times(issue_, change->factor);
  else if (p.resource == Parameter::kBarrier)
    barrier_ = times(barrier_, change->factor);
  else
    for (std::size_t region = 0; region < trace.regions.size(); ++region)
      if (!change->region || *change->region == static_cast<int>(region)) {
        Cost &cost = table_[region * resources_ + static_cast<std::size_t>(p.resource)];
        Time &changed = p.mode == Mode::Latency ? cost.latency : cost.gap;
        changed = times(changed, change->factor);
      }
}

Router::Router(double before) : sum_(before - std::floor(before + kRounding)) {}

bool Router::goesNearer(double &sum, double rate) {
  sum += rate;
  if (sum < 1 - kRounding)
    return false;
  sum -= 1;
  return true;
}

} // namespace pbc::emulate
