// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The smallest box around the cells of a buffer that steps of loops touch, and the place of a cell in memory of that size.
//
//   { [yt, xt] -> A[a, b] : xt <= a < xt + 16 and 0 <= b < h }   =>   first (xt, 0), extents (16, h)
//   { S[x, y, yt, xt] -> A[x, y] } in it                         =>   { S[x, y, yt, xt] -> A_pack[x - xt, y] }
//
// An extent is a constant if the box of each step has one, and the box then moves with the loops; otherwise it is a function of
// the parameters, and the box is around what all steps touch.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

struct CellBox {
  std::vector<isl::pw_aff> first;   // { [loops] -> [first cell] }, by dimension of the buffer
  std::vector<isl::pw_aff> extents; // over the parameters
};

/// `touched`: { [loops] -> [cells] }, not empty. Nothing if no number of cells is enough for some dimension.
std::optional<CellBox> boxAround(const isl::map &touched, const isl::set &context);

/// The same with boxes that move with the loops where an extent is a function of the parameters; such a function has one formula, of whole
/// numbers:
///
///   { [x] -> A[a] : x <= a <= x + 2 r }   =>   first (x), extents (2 r + 1)
///
/// Where an extent is no cell if the parameters on which it depends are 0, they are taken to be 1 at least.
std::optional<CellBox> movingBoxAround(const isl::map &touched, const isl::set &context);

/// { S[i] -> [values of these dimensions] }
isl::map valuesOf(const isl::set &domain, const std::vector<int> &dimensions);

/// Where a dimension of the scratch memory is in the buffer whose cells it holds.
struct PlacedDimension {
  std::size_t dimension; // of the buffer
  /// The coordinate modulo this number, instead of its distance from the box's first cell.
  std::optional<long> modulus = {};
};

/// { S[i] -> scratch[places of the cell, loops] }, where `values` are { S[i] -> [loops] } and `cells` { S[i] -> [cell] }.
isl::map placeIn(const CellBox &, const std::vector<PlacedDimension> &, const isl::map &values,
                 const isl::map &cells, const std::string &scratch);

} // namespace pbc::kernel
