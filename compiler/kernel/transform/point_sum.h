// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A point of a rule that adds up terms: its statements, taken apart, and how its sum comes to lie in the cell that it writes.
//
//   for x: { s = A[x]; for k < x: s -= F[k] U[x, k]; F[x] = s / D[x] }
//   => first value s = A[x]; terms s -= ..; last F[x] = s / D[x]
//   fromFirstValue()     F[x] = A[x];  F[x] -= F[k] U[x, k];  F[x] = F[x] / D[x]
//
//   for x: { b = F[x-1]; b = b < C[x] ? C[x] : b; for k < x: b = b < F[k] ? F[k] : b; F[x] = b }
//   fromNeutralValue()   F[x] = -inf;  F[x] = F[x] < F[k] ? F[k] : F[x];  b = F[x-1]; b = ..; b = F[x] > b ? F[x] : b;  F[x] = b
//
// In the second form terms are added before the first value is known, where that has the same result (associative.h).
#pragma once
#include "compiler/kernel/subtree.h"

namespace pbc::kernel {

/// The statements of a point: the first value of its sum, the terms, and what becomes of the sum.
struct PointSum {
  std::vector<int> first, terms;
  int last = -1;
  int scalar = -1;                                         // the Local that adds up
  std::vector<std::string> scalarsOfTerms, scalarsOfPoint; // the other ones
  isl::union_set instancesOfFirst, instancesOfTerms, instancesOfLast;
  Subtree eachTerm;        // what is inside of the loop over terms
  Subtree atFirst, atLast; // what a point does before its terms, and behind them
  /// For each term, the value of the loop over points at which the cell gets its last value that the term reads; nothing if no term reads
  /// what other points have computed.
  std::optional<isl::pw_aff> needed;
};

/// Takes the body of the loop over points apart; a sentence if it has another form. `needed` stays open.
std::string takeApart(const Scheduled &, const Subtree &points, const std::string &terms, PointSum &);

/// Whether one of the statements reads an input at the place of the cell, and nowhere else: a caller may give one matrix for
/// both, and the cell has the first value of the sum there already. What is read elsewhere, too, the call has copied.
bool readsInPlace(const Kernel &, const PointSum &, const std::vector<int> &statements);

/// A sum, and the kernel in which its cells add up the terms.
struct SumInCells {
  Scheduled kernel;
  PointSum sum;
};

/// The cell gets the first value, the terms, and what becomes of the sum. Nothing if the first value takes several statements.
std::optional<SumInCells> fromFirstValue(const Scheduled &, const PointSum &);

/// The cell begins with a neutral value and gets the terms; what they make joins the point's first value, which is computed where other
/// points have what it needs. `points`: the label of their loop. Nothing if the terms cannot be added up before the first value.
std::optional<SumInCells> fromNeutralValue(const Scheduled &, const std::string &points, const PointSum &);

} // namespace pbc::kernel
