// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Distributes the loops of rules that need each other: inside the outermost common loop, each rule that needs no other one in
// turn gets loops of its own.
//
//   for k: for j: { R[k, j]: sum over V[., j]; V[., j] -= R[k, j] Q[., k] }
//   => for k: { for j: R[k, j];  for y: for j: V[y, j] }
//
// So each of them has its contiguous direction innermost, and loops without dependences are parallel. Where several loops can be the
// outermost one, that which leaves most rules such a direction is:
//
//   P[j, i] = P[j - 1, i] - L[j - 1, i] X[j - 1];  X[i] = P[i, i] / L[i, i]     =>     for i: { for j: P[j, i];  X[i] }
//
// With j outside, the loop over i would carry no dependence, but walk against the order of the cells in memory. The same holds where versions
// S<j> of one cell stand for the sum, which is a register if j is inside. Kennedy and McKinley,
// *Maximizing loop parallelism and improving data locality via loop fusion and distribution*, 1993, have the graph of
// dependences inside a loop, whose components are taken apart here.
//
// Invariant: the result keeps all dependences.
#pragma once
#include "compiler/schedule/order.h"

namespace pbc::schedule {

/// `whole`: a legal order of the uses. `cells`: as in orderOf(). Nothing if no outermost loop takes them apart.
std::optional<isl::schedule> distributed(const std::vector<RuleUse> &, const isl::union_map &dependences,
                                         const isl::set &context, const isl::schedule &whole,
                                         const std::vector<Cells> &cells = {});

/// The components of the uses, one after the other, each in an order of its own; nothing if one of them has none.
std::optional<isl::schedule> inComponents(const std::vector<RuleUse> &, const isl::union_map &dependences,
                                          const isl::set &context);

} // namespace pbc::schedule
