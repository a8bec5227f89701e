// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether the items of a warp access matrices next to each other, found by carrying out the loops of 32 neighbouring items.
//
//   A[lane + k * row]     =>   { "A", reads 1 }: 128 bytes in 4 sectors
//   A[k + lane * row]     =>   { "A", reads 8 }: 32 sectors, of each of which one lane uses 4 bytes
//   A[k]                  =>   { "A", reads 1 }: one sector for all lanes
//
// A device moves sectors of 32 bytes. What is counted is how many of them one access of a warp touches, for each that the bytes of all its lanes would
// fill, and no less than 1.
// An access in loops that are written out is one with those of their other iterations: they read from the same sectors while these
// are in the cache. Accesses that are not aligned touch one sector more, so a number below 2 is what neighbours need. Source: CUDA C++ Programming
// Guide, "Global Memory" of the compute capabilities; optimisation-scripts 8 and 10, test 15.
//
// Invariant: rows are so long that no two of them share a sector, dimension 0 is contiguous; else as bank_conflicts.h.
#pragma once
#include "compiler/loop/warp_lane.h"

namespace pbc::loop {

struct SectorUse {
  std::string matrix;
  double
      reads = 0,
      writes =
          0; // of the worst access, sectors touched for each that they would fill; 0: there is no such access
  static constexpr double kManySectors = 2; // items do not access neighbours
};

/// Of the lowered loops of a kernel for devices, by matrix in the order of their names; not of memory of groups and items.
std::vector<SectorUse> sectorUses(const std::vector<Matrix> &, const NodePtr &lowered, const LaunchShape &);

} // namespace pbc::loop
