// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops that count, in all spellings:
//
//   for (int k = 0; k < n; ++k) s += a.cell(k);
//   int k; for (k = 0; k < n; k += 1) s += a.cell(k);
//   int k = 0; while (k < n) { s += a.cell(k); k++; }      => variable k, condition k < n, step k++, body s += a.cell(k)
//
// Only the shape is looked at here; lift_loop.cpp asks whether bounds are affine and whether condition and step fit together.
#pragma once
#include "compiler/body/tree.h"
#include <set>
#include <vector>

namespace pbc::body {

using Statements = std::vector<const Tree *>;

/// A block's statements; nested blocks are flattened, because variables are identified by number and not by name.
Statements flatten(const Tree &);

/// Whether it is `variable = value`.
bool setsVariable(const Tree &);
/// How many places in a tree change the variable.
int changesOf(const Tree &, int variable);

struct CountedLoop {
  int variable = -1;
  bool isDeclaredHere = false;
  const Tree *first = nullptr; // null: what the variable has before the loop
  const Tree *condition = nullptr;
  const Tree *step = nullptr;
  Statements body;
};

/// The loop if it has a condition and a step of one variable: that of a `for`, or the last statement of a `while`.
std::optional<CountedLoop> countedLoop(const Tree &);

/// The variables that are declared outside of the loops that count with them, and of which nothing but these loops uses the value: each loop changes
/// it in its step only, and outside of loops it is only assigned.
std::set<int> counters(const Function &);

} // namespace pbc::body
