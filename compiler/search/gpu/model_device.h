// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A GPU whose time is a function of the schedule, so that the search can be tested without one.
//
//   ModelDevice device(space, work, rates);
//   device.time(leaf).seconds     2.3e-3: found by going through the loops of the leaf, not by the terms of the bound
//
// It has what the bounds leave out: threads wait for latencies that too few others cover, the last wave of groups is a whole one, sectors of
// memory are moved even if a part of them is used, banks of local memory conflict, loops count their iterations, threads need registers for
// more than sums. Invariant: no time is below a bound made with rates that are at least the device's. Source of the idea: the fake device of
// Telamon's tests; lower-bound-search.md, sections 5 and 10.
#pragma once
#include "compiler/search/gpu/gpu_rates.h"
#include "compiler/search/gpu/gpu_work.h"
#include "compiler/search/space.h"
#include "compiler/search/strategy/model.h"

namespace pbc::search {

class ModelDevice {
public:
  ModelDevice(const Space &space, const GpuWork &work, const GpuRates &rates)
      : space_(space), work_(work), rates_(rates) {}

  /// Not measured if a group does not fit into a unit.
  LeafTime time(const State &leaf) const;

private:
  const Space &space_;
  const GpuWork &work_;
  const GpuRates &rates_;
};

} // namespace pbc::search
