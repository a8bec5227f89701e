// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A multiprocessor of a GPU as a core of the emulator, from the figures of a machine's file.
//
//   H100: DRAM { a sector of 32 bytes each 2.5 cycles }, L2 { 1.5 }, L1 { 0.25 }, shared { 29, 1 }, f32 { 4, 0.25 }, ..; 4 schedulers
//
// What an instruction of a warp costs is in the file's tables [warp.NAME]; where one is missing, it follows from memories and resources. Every
// multiprocessor has its share of the memory's bandwidth. Warps are the core's threads. Predictions use the figures as they are,
// not as limits. Source: bottleneck-analysis.md 2, 9.
#pragma once
#include "compiler/emulate/core.h"
#include "compiler/emulate/occupancy.h"
#include "compiler/model/machine/machine.h"

namespace pbc::emulate {

/// The resources of GpuCore::core, in this order. `Start`: of the warps of a new group; where the file does not know it, it costs nothing.
/// `Lines`: of L1, of accesses whose items have lines of their own.
enum class GpuUnit { Dram, L2, L1, Shared, F32, F64, Integer, Special, Shuffle, Start, Lines };
inline constexpr int kGpuUnits = static_cast<int>(GpuUnit::Lines) + 1;
inline int placeOf(GpuUnit unit) { return static_cast<int>(unit); }

inline constexpr int kSectorBytes = 32; // of an admission to DRAM and L2

struct GpuCore {
  std::string machine;
  Core core;
  Limits limits;
  int multiprocessors = 1;
  double clock = 1;                 // Hz
  double launch = 0;                // seconds
  std::vector<std::string> assumed; // resources whose figures were neither measured nor published
};

/// Throws model::Problem for a processor, and for a file without a figure that has no substitute: it says which, and how to measure it.
GpuCore gpuCoreOf(const model::Machine &);

} // namespace pbc::emulate
