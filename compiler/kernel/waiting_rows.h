// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Takes a kernel apart whose rows wait for each other, because the cells of a row are sums over the rows before it, so that devices can
// compute blocks of rows.
//
//   X[x, y] = (B[x, y] - sum of A[k, y] X[x, k] over k < y) / A[y, y]
//
//   start    for all cells                             sum[x, y] = B[x, y]
//   for each block of rows, one after the other:
//     finish   for all columns, the block's rows in turn   s = sum[x, y]; s -= A[k, y] * X[x, k] for the block's k < y; X[x, y] = s / A[y, y]
//     update   for all cells behind the block              sum[x, y] -= A[k, y] * X[x, k] for the block's k: a product of matrices
//
// The block is pb__lowrows <= row < pb__highrows. A sum waits in a matrix of its own, `sum`, whose cells are those of the result, so that
// nothing is assumed of what shares its memory with the result. Nearly all of the work is in `update`, whose cells are independent of each
// other, so that it has all schedules that a product has; `finish` reads a triangle of as many rows as a block has.
//
// What is said of rows holds for any free variable of the rule along which its points wait, in either direction: columns of X in
// X A = B, and from the last one where the loop over k goes down.
//
// It applies where the points have one sum each, in a variable of the body and over one loop; where each step of that loop reads what one
// row before the point's has left in its own column, and the rows in the order in which they are computed; and where nothing else before
// the loop reads other points. All of that follows from dependences. Invariant: each point does the operations of the kernel in their
// order, so that its bits are the same.
//
// Source: Golub and Van Loan, "Matrix computations", 3.1.3 (block forward substitution, the form by columns); Dongarra et al., "A set of
// level 3 basic linear algebra subprograms", 1990.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

inline constexpr const char *kFirstRow = "pb__lowrows", *kBehindRows = "pb__highrows";

/// Whether the kernel has the rows of a block only, or steps that read them.
bool isOfBlock(const Kernel &);
/// The same values for any block: what a launch must know before there is one, such as the box around its points.
isl::set ofAnyBlock(const isl::set &values, const isl::set &context);

struct WaitingRows {
  int row = 0; // the free variable
  bool isBackward = false;
  isl::pw_aff low, high; // all rows that steps read or points have, half open, over the parameters
  /// Whether all rows are points of the kernel in each column, each step of a row reads one row before it, and all rows before it are read.
  bool isTriangle = false;
  int sums = -1;   // the buffer in which sums wait, the last one of each kernel
  int result = -1; // the buffer whose cells it has
  /// In the order of the kernel; of `update`, only for points whose rows are behind the block.
  Scheduled start, finish, update;
};

struct WaitingRowsOutcome {
  std::optional<WaitingRows> rows;
  std::string why; // if there are none, one sentence
  bool areRowsRead =
      false; // whether the loop of a sum reads rows of the result, so that one may ask why there are none
};

/// `lifted`: in the order of the plan, as lift() makes it.
WaitingRowsOutcome waitingRows(const Scheduled &lifted);

} // namespace pbc::kernel
