// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures what a device computes and loads at most: one item alone, one group alone on a unit, all units.
//
//   measureDeviceResources(device, 132, 256, sampling)
//       =>  {FmaF32, latency 2.1 ns, lane 4.8e8, unit 2.4e11, machine 3.1e13 per second}, ...
//
// Additions, products, multiply-adds, quotients and square roots of floats, of doubles where the device has
// them, and loads from group-local memory. Whole numbers are left out: compilers make one operation of a chain
// of them. The text is that of runtime/device/dialect.h, so the same kernels serve OpenCL, CUDA and the fake
// device. Source: bottleneck-analysis.md 9.
#pragma once
#include "compiler/model/machine/resource.h"
#include "compiler/model/measure/sampling.h"

#include <vector>

namespace pb::device {
class Device;
}

namespace pbc::model {

/// `group`: items of a group that fills a unit. In the order of ResourceKind.
std::vector<Resource> measureDeviceResources(pb::device::Device &, int units, int group, const Sampling &);

} // namespace pbc::model
