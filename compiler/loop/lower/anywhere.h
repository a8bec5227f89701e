// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether what a statement computes of a group's memory can be computed at a point that the statement is not for.
#pragma once
#include "compiler/loop/lower/known_sums.h"
#include "compiler/loop/walk.h"

namespace pbc::loop {

/// Visits the value. All that it reads has to be in the memory, and no whole number may be divided.
class AnywhereCheck : public Visitor {
public:
  enum class Others {
    None, // no other point of the block need execute the statement, so that each index has to be known
    Some, // the loops around it run for all points alike: an index that is the same for all of them is known to be in the memory
  };
  AnywhereCheck(const Nest &nest, const KnownSums &known, Others others)
      : nest_(nest), known_(known), others_(others) {}

  void expr(const Expr &) override;

  bool isAnywhere = true, readsMemory = false;

private:
  bool isWithin(const Element &cell, const Matrix &memory) const;

  const Nest &nest_;
  const KnownSums &known_;
  const Others others_;
};

/// Whether the expression names a point's item or its place in the group.
bool isOfPoint(const Expr &);

} // namespace pbc::loop
