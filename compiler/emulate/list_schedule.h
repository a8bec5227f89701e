// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Puts loads in front of what does not wait for them, as an assembler would.
//
//   f32 r0; f32 r1; load r2; f32 r3 = r2      =>   load r2; f32 r0; f32 r1; f32 r3 = r2
//
// Traces from a kernel's loops or from PTX have loads where their values are used, and a core that issues in order would wait for each of
// them. A load moves up at most `window` instructions, never past a barrier, the begin or end of a loop, an instruction that it depends on or
// whose registers it changes, or an access that is not a load. Invariant: each register has the same value wherever it is read. Source:
// bottleneck-analysis.md 8 (PTX, a).
#pragma once
#include "compiler/emulate/trace.h"

namespace pbc::emulate {

/// `isLoad`: by instruction. The result has the same loops.
Trace withEarlyLoads(const Trace &, const std::vector<bool> &isLoad, const std::vector<bool> &isStore,
                     int window = 32);

} // namespace pbc::emulate
