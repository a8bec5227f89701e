// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures what a core computes, loads and stores at most, and how long one operation takes.
//
//   measureResources(2, sampling)   =>  {FmaF64, latency 1.3 ns, unit 6.1e9 instructions, 4.9e10 numbers per
//                                        second, machine: twice as many}, ...
//
// A rate is that of the width of vectors with which it is highest, in the fastest of several passes over all
// loops. Source: bottleneck-analysis.md 9, for a core
// instead of a multiprocessor.
#pragma once
#include "compiler/model/machine/resource.h"
#include "compiler/model/measure/sampling.h"

#include <vector>

namespace pbc::model {

/// In the order of ResourceKind; those that the processor does not have are left out. `units`: cores that are
/// measured at once for the rates of the machine. `sampling`: of each of about 150 loops.
std::vector<Resource> measureResources(int units, const Sampling &);

} // namespace pbc::model
