// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How groups of a launch follow each other on multiprocessors.
//
//   withStart(trace, core)                          each warp is started, and then all of its group go on
//   waveOf(262144 groups, 8 fit, 132 multiprocessors)    =>  8 at once, 249 times one after the other
//
// Groups of a launch that has less of them than there is room for are spread over the multiprocessors. Source: bottleneck-analysis.md 5.
#pragma once
#include "compiler/emulate/device/gpu_core.h"
#include "compiler/emulate/trace.h"

namespace pbc::emulate {

/// The same trace, in front of which its warp is started (GpuUnit::Start), if that costs anything; the region has the name "starts".
Trace withStart(Trace, const Core &);

struct Wave {
  long atOnce = 1; // groups on a multiprocessor
  long waves = 1;  // of groups, one after the other
};
Wave waveOf(long groups, long fit, long multiprocessors);

} // namespace pbc::emulate
