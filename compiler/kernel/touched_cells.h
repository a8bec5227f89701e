// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which cells of matrices a kernel touches when it runs for a part of its points, as boxes.
//
//   B[x, y] = A[x - 1, y] + A[x + 1, y]  for low0 <= x < high0, low1 <= y < high1
//   => reads A: [low0 - 1, high0 + 1) x [low1, high1)     writes B: [low0, high0) x [low1, high1), all of it
//
// Boxes are functions of the parameters and the limits pb__low0, pb__high0, .. of the kernel's task
// dimensions. They contain all cells that are touched, and possibly others.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// A half-open interval over the parameters and the limits.
struct Interval {
  isl::pw_aff low, high;
};

/// Cells of a matrix of the transform, where the parameters are in `condition` (nothing: always).
struct CellsBox {
  int matrix;
  std::optional<isl::set> condition;
  std::vector<Interval> cells;
};

/// How a kernel uses a matrix.
struct Touched {
  int matrix;
  std::optional<CellsBox> read, written;
  bool covers = false; // every cell of `written` is written
};

/// The instances of a statement that run when the kernel is called.
isl::set instances(const Kernel &, const Statement &);
/// The cells of `matrix` that it reads, enlarged to one convex set; nothing if it reads none.
std::optional<isl::set> cellsRead(const Kernel &, int matrix);
/// The box around these cells. Throws isl::exception if it has no formula.
CellsBox boxAround(const Scheduled &, int matrix, const isl::set &cells);

/// The largest number of cases in a bound or the condition of these boxes. Each is computed at every launch.
int mostCases(const Touched &);

/// How it uses the matrix of a buffer that is not a Local. Throws isl::exception if a box has no formula, or
/// a budget is exceeded.
Touched touchedCells(const Scheduled &, const Buffer &);

} // namespace pbc::kernel
