// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How fast a GPU can be at best: by one thread, by one multiprocessor (a unit), and by the whole device; and how many groups of
// threads run at once.
//
//   multiply-adds of floats   a thread 7.4e8 a second, a unit 1.4e11, the device 1.85e12
//   at most 2048 threads, 16 groups, 48 kB of local memory and 65536 registers in each of 13 units
//
// Every figure is on the safe side: rates are higher and latencies lower than any that was measured, since a bound must hold for
// all programs, at the highest clock (trap 3 of section 5.4). A rate of 0 is not known, and gives no bound. Source: lower-bound-search.md,
// sections 5.1 and 5.7.
#pragma once
#include "compiler/model/machine/machine.h"
#include "compiler/search/nest/nest_work.h"
#include "compiler/search/structure.h"

namespace pbc::search {

/// What instructions use up. Those of lanes are also used up by lanes without a thread; bytes are not (trap 2 of section 5.4).
enum class GpuResource : std::uint8_t {
  Issue,       // instructions of a lane
  Float,       // operations on floats, of a lane
  Double,      // operations on doubles, of a lane
  Words,       // of 4 bytes, loaded or stored through the units for memory
  SecondCache, // bytes between units and the second cache
  Memory,      // bytes of the device's memory
};
inline constexpr std::size_t kGpuResources = 6;
std::string_view nameOf(GpuResource);
inline bool isOfLanes(GpuResource r) { return r < GpuResource::SecondCache; }

/// Who uses it: a thread alone, all threads of a unit, all units.
enum class GpuLevel : std::uint8_t { Thread, Unit, Device };

using GpuUse = std::array<double, kGpuResources>; // by GpuResource

struct GpuRates {
  std::string name;
  std::array<std::array<double, 3>, kGpuResources> perSecond = {}; // by GpuResource and GpuLevel
  double of(GpuResource r, GpuLevel level) const { return perSecond[std::size_t(r)][std::size_t(level)]; }

  // Seconds from operands to results.
  std::array<double, kNumbers> arithmetic = {}; // by Number
  double local = 0, firstCache = 0, secondCache = 0;
  double barrier = 0;

  long lanes = 32; // threads that have one instruction
  long units = 0, threadsPerUnit = 0, groupsPerUnit = 0, threadsPerGroup = 0;
  long localBytesPerUnit = 0, localBytesPerGroup = 0, registersPerUnit = 0; // registers of 4 bytes
  double firstCacheBytes = 0, secondCacheBytes = 0;                         // 0: not known
  double hostBytesPerSecond = 0;                                            // 0: not known
};

/// Throws model::Problem with the figure that is missing and how to measure it.
GpuRates gpuRatesOf(const model::Machine &);

/// What the machine allows, as limits of a space.
MachineLimits gpuLimitsOf(const model::Machine &);

} // namespace pbc::search
