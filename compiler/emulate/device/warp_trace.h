// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a warp of a kernel for devices does, from the kernel's lowered loops.
//
//   for k < n { barrier; A_group[..] = A[..]; barrier; for r {written out} { s[r] += A_group[..] * B_group[..] } }
//   =>  n times { barrier; load; write to shared memory; barrier; read; read; f32; f32; .. }
//
// The loops are carried out by 32 lanes without data (loop/warp_lane.h): one makes the instructions, all of them the addresses, from which
// follow how many sectors of memory an access touches, and how many turns the memory of the group takes. What is read again without a
// barrier in between is in a register, neighbouring cells come 16 bytes at once. Indices cost nothing but an instruction for each
// turn of a loop. Independent instructions of one kind stand as one. Barriers wait for the writes to the group's memory before them, and those
// that end copies for the copies.
//
// Regions: of each line, copies for the group, the rest of the loads, what is computed, the stores. Invariant: verify(trace) is empty. Source:
// bottleneck-analysis.md 3.4, 8.
#pragma once
#include "compiler/emulate/device/gpu_core.h"
#include "compiler/emulate/device/reuse.h"
#include "compiler/emulate/trace.h"
#include "compiler/loop/warp_lane.h"
#include <map>

namespace pbc::emulate {

struct WarpQuestion {
  const std::vector<loop::Matrix> &matrices;
  const loop::NodePtr &lowered;
  loop::LaunchShape shape;
  std::map<std::string, long> sizes; // as the loops call them
  std::optional<double> hits =
      {}; // the share of sectors that come from L2; none: what neighbours load, too, comes from caches
  std::optional<long> otherSizes = {};      // none: they are large
  std::vector<source::Origin> origins = {}; // by statement of the loops
};

/// Accesses of one kind by a warp: bytes of one lane, and the admissions that they took.
struct Accesses {
  double bytes = 0, transactions = 0;
};

/// How much of each kind a warp does.
struct Work {
  Accesses loaded, stored, groupLoaded, groupStored;
  double f32 = 0, f64 = 0, special = 0; // instructions
  std::vector<long> turns;              // of the loops
};

struct WarpTrace {
  Trace trace;
  Work work;
  InCaches inCaches; // of all sectors that are loaded
};

/// For the resources of GpuCore.
WarpTrace warpTrace(const WarpQuestion &);

} // namespace pbc::emulate
