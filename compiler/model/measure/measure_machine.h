// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures this machine and makes its description: the processor, and devices through the runtime's device
// layer.
//
//   measureProcessor({.seconds = 10})             =>  2 units of 16 lanes, L1 48 kB at 310 GB/s and 1.5 ns,
//   ... measureDevice(device, {.seconds = 10})        =>  an OpenCL or CUDA device
//
// Invariant: every measured figure has the spread of its samples; what cannot be measured is looked up or
// left out, and `source` says which. Measuring takes about as long as the settings allow, and some seconds
// more for devices that have to compile. Source: cost-models.md 1.9.
#pragma once
#include "compiler/model/machine/machine.h"
#include "compiler/model/measure/warp_probe.h"

namespace pb::device {
class Device;
}

namespace pbc::model {

struct MeasureSettings {
  double seconds = 10;
};

Machine measureProcessor(const MeasureSettings &);

struct MeasuredDevice {
  Machine machine;
  MeasuredWarps warps; // also what the machine's file does not have
};

/// Throws Problem if the device has no memory for the measurements, or pb::device::DeviceError.
MeasuredDevice measureDevice(pb::device::Device &, const MeasureSettings &);

} // namespace pbc::model
