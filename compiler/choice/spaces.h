// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sets and maps of a transform as isl objects: its parameters, its matrices' cells, its rules' points.
//
//   Smooth:  prefix "[n] -> "   cells of B { B[x0] : 0 <= x0 < n }   points of rule0 { R0[i] }
//            region a of rule0  { R0[i] -> A[x0] : i - 1 <= x0 < i + 2 }
//
// Only this class turns sema's affine texts into isl objects.
#pragma once
#include "compiler/poly/poly.h"
#include "compiler/sema/module.h"

namespace pbc::choice {

class Spaces {
public:
  Spaces(const sema::Transform &, const poly::Context &);

  /// Size variables and the tunables that occur in sizes or coordinates, mangled.
  const std::vector<std::string> &parameters() const { return parameters_; }
  const std::string &prefix() const { return prefix_; }
  /// Sizes that can occur: all extents >= 0, tunables in their range. The set has parameters only.
  isl::set context() const;
  /// Sizes for which every size and extent is at least `least`.
  isl::set sizesFrom(long least) const;

  isl::set cells(int matrix) const;
  /// For a versioned matrix the cells of the versions from its first on; for any other all cells.
  isl::set declaredCells(int matrix) const;
  /// Names of the matrix's cells for messages: dimensions as in the rules that compute it, else x, y, ...
  poly::CellNames names(int matrix) const;
  std::string ruleTuple(const sema::Rule &) const;
  /// All points of a rule, without bounds.
  isl::set points(const sema::Rule &) const;
  /// Points for which the binding's box lies inside its matrix.
  isl::set inBounds(const sema::Rule &, const sema::Binding &) const;
  /// Points for which the rule's own matrix has no negative size.
  isl::set fits(const sema::Rule &, const sema::Local &) const;
  /// Points for which all `where` conditions hold.
  isl::set whereHolds(const sema::Rule &) const;
  /// { R0[i] -> A[x0] : x0 in the binding's box }
  isl::map access(const sema::Rule &, const sema::Binding &) const;

private:
  isl::set cellsFrom(int matrix, const std::string &firstVersion) const;
  isl::set pointsWhere(const sema::Rule &, const std::string &condition) const;
  const sema::Transform &transform_;
  const poly::Context &context_;
  std::vector<std::string> parameters_;
  std::string prefix_;
};

} // namespace pbc::choice
