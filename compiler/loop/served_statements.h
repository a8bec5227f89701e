// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which statement of the kernel each part of lowered loops is for, also those that lowering has made.
//
//   A_group[i] = A[first + i]              S1: it reads A_group
//   for k: s += A_group[k] * B[k]          S1
//   row[j] = s; C[x .. x + 3] = row[0]     S2, whose value `row` has
//
// A copy, and a value that has a name, is for the statement that reads it, the first one of several; a store without a statement for the one
// whose value it stores. Invariant: what has a statement keeps it.
#pragma once
#include "compiler/loop/tree.h"
#include <map>

namespace pbc::loop {

class ServedStatements {
public:
  static constexpr int kNone = -1;

  /// `matrices`: those that the loops use; of a group's or an item's memory, what is stored is read by other parts of the loops.
  ServedStatements(const NodePtr &, const std::vector<Matrix> &matrices);

  /// Of parts of the loops, as references to them; kNone: for no statement.
  int of(const Assign &a) const { return find(&a); }
  int of(const Let::Variable &v) const { return find(&v); }
  int of(const Shuffle &s) const { return find(&s); }
  /// The first statement inside of a loop.
  int of(const For &f) const { return find(&f); }
  int of(const BlockOfPoints &b) const { return find(&b); }

private:
  int find(const void *part) const {
    const auto at = of_.find(part);
    return at == of_.end() ? kNone : at->second;
  }
  std::map<const void *, int> of_;
};

} // namespace pbc::loop
