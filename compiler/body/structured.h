// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a cell of a matrix with a structure is, where rules read it (sema::Structure).
//
//   A is symmetric lower:     cell (x, y) is stored where x <= y, and cell (y, x) where x > y
//   A is lower_triangular:    cell (x, y) is stored where x <= y, and 0 where x > y
//
// Invariant: the regions of regionsOf() cover all cells; where two overlap, the first one counts.
#pragma once
#include "compiler/sema/module.h"

namespace pbc::body {

struct StructureRegion {
  enum class Value { Stored, Mirrored, Zero, One };
  Value value;
  std::string where; // a condition in isl's text; "": everywhere
};

/// The regions of cell (x, y), whose coordinates are isl's texts.
std::vector<StructureRegion> regionsOf(const sema::Structure &, const std::string &x, const std::string &y);

} // namespace pbc::body
