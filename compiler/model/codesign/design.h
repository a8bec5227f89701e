// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The chips among which codesign chooses: every combination of units, lanes and shared memory in given ranges
// whose area is within a budget. They have no caches; registers are fixed.
//
//   designsIn({})     3737 designs of 200 to 650 mm2; the first: 2 units of 672 lanes, 480 kB, 200.3 mm2
//
// Invariant: designs are ordered by units, then lanes, then shared memory; areas are those of area/area.h.
// Source: cost-models.md sections 4.1 and 4.2.
#pragma once
#include "compiler/model/area/area.h"

namespace pbc::model {

/// first, first + step, ... up to last.
struct Steps {
  int first = 0, last = 0, step = 1;
  bool operator==(const Steps &) const = default;
};

struct DesignRanges {
  Steps units{2, 32, 2};
  Steps lanes{32, 2048, 32};
  std::vector<double> sharedKb{12, 24, 36, 48, 96, 144, 192, 240, 288, 336, 384, 432, 480};
  double leastArea = 200, mostArea = 650; // mm2
  double registersKb = 2;                 // of each lane
};

struct Design {
  int units = 0, lanes = 0;
  double sharedKb = 0;
  double area = 0;
  bool operator==(const Design &) const = default;
};

Chip chipOf(const Design &, double registersKb);

/// Throws Problem for ranges that are empty or too large, and for a budget that no design meets.
std::vector<Design> designsIn(const DesignRanges &);

} // namespace pbc::model
