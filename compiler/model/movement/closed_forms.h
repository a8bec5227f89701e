// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Data movement in closed form: tiles have any real size, and nothing is cut off at borders. The closed forms
// are for insight and for the published tables; decisions use the exact counts of
// runtime/abi/data_movement.h.
//
//   closedOutputKept({936, 1008, 552}, 65536).words                  4585464, tiles of 256 x 256
//   closedLeft({936, 1008, 552, 368}, 65536).words                   5908537.4, tiles of 227.39 x 288.21
//   closedRight({936, 1008, 552, 368}, 65536, Mode::Printed).words   3410650.2: below the true minimum
//
// Sizes and memories are in numbers ("words"), not in bytes. Invariant: sizes are positive and at least half
// the square root of the memory, where the forms are positive; others throw Problem. Source: cost-models.md
// sections 5 (D.2 to D.6), 6 (D.7 to D.14) and 6.4.
#pragma once
#include "compiler/model/mode.h"

#include <array>

namespace pbc::model {

using ProductSizes = std::array<long, 3>; // P0 x P1 times P1 x P2
using FusedSizes = std::array<long, 4>;   // and P2 x P3

/// The number of words, and the tile for which it is least, along the sizes that the function names.
struct ClosedForm {
  double words = 0;
  double first = 0, second = 0;
};

/// D.3: the output is kept, x (P0) by y (P2).
ClosedForm closedOutputKept(const ProductSizes &, double memory);
/// D.5: the left matrix is kept, x (P0) by z (P1).
ClosedForm closedLeftKept(const ProductSizes &, double memory);
/// D.6: the right matrix is kept, y (P2) by z (P1). Printed: the tile has x instead of y, which is not a size
/// of this matrix (E8).
ClosedForm closedRightKept(const ProductSizes &, double memory);

/// D.10: (A1 A2) A3 fused, x (P0) by y (P2) of A1 A2.
ClosedForm closedLeft(const FusedSizes &, double memory);
/// D.14: A1 (A2 A3) fused, x (P1) by y (P3) of A2 A3. Printed: the ratio is P0 / P1, not P0 / P2 (E1).
ClosedForm closedRight(const FusedSizes &, double memory, Mode = Mode::Corrected);
/// 6.4: D.10 if the result is updated by reductions, one word per update.
ClosedForm closedLeftReduction(const FusedSizes &, double memory);
ClosedForm closedRightReduction(const FusedSizes &, double memory);

/// The memory size from which on (A1 A2) A3 fused moves less than both products separately (closed forms).
double breakEvenLeft(const FusedSizes &);
double breakEvenRight(const FusedSizes &);

/// The costs for leastCost() of runtime/abi/matrix_chain.h: D.18 and D.24 to D.26.
struct ClosedCosts {
  using Cost = double;
  double memory;
  Mode mode = Mode::Corrected;
  double product(long p0, long p1, long p2) const;
  double left(long p0, long p1, long p2, long p3) const;
  double right(long p0, long p1, long p2, long p3) const;
};

} // namespace pbc::model
