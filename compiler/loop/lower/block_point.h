// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A statement at the points of a block in registers (registers.cpp): row r, vector v.
//
//   s += A[c2, c0] * B[c1, c2]   =>   s[r][v] += (strip 0 at c2 * strip 1 at c2)
//   C[c1, c0] = s                =>   vector C[c1, c0] = s[r][v]
//
//   s += alpha * A[c2, c0] * B[c1, c2]   =>   the same, and strip 0 is folded to alpha * its cell
//
// What is the same for all columns stays a scalar, until a vector is needed. A factor that is made of one cell of a strip of rows is computed
// once for each row and step, as the strip is copied: in the block it would be computed for each vector, and spread from a register. Only
// factors are: a product that is added may be rounded together with the sum. Invariant: what the statement computes for a
// point does not change, operation by operation.
#pragma once
#include "compiler/loop/lower/lower.h"
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace pbc::loop {

class BlockPoint {
public:
  /// `y`, `x`: iterators of the rows and columns.
  BlockPoint(const Nest &nest, std::string y, std::string x)
      : nest_(nest), registers_(*nest.registers), y_(std::move(y)), x_(std::move(x)) {}

  struct Result {
    NodePtr node;
    std::optional<Left::Why> why;
  };
  /// `step`: the iterator of the loop whose reads are in strips; "" outside. `perRow`: what the block has written itself is
  /// in no strip yet.
  Result of(const Assign &, const std::string &step, bool perRow);

  /// The cell of strip `k` at the first point of a block; null if no statement has read it.
  Expr firstCell(std::size_t k) const;

  /// What a block reads of strip `k` (BlockOfPoints::Strip::folded); null: its cells as they are.
  Expr folded(std::size_t k) const;

  /// All vectors of a block, in an array of the block.
  struct Turned {
    std::string name;
    Scalar element;
    Expr cells; // the CellVector of all of them; null: they are stored one by one
    NodePtr array() const;
    Expr whole() const;
    /// That of the row and vector at hand.
    Expr vector() const;
  };
  /// What statements have read in this way since the last call, and is still to be loaded.
  std::vector<Turned> takeLoads() { return std::exchange(loads_, {}); }
  /// An array for what a statement stores in cells of the matrix.
  Turned stored(const Expr &cell, int statement);
  /// The vectors of the block, if they lie apart along rows and side by side down columns; else null.
  Expr allCells(const Expr &cell, int statement) const;

  /// The vector of cells of an access of the statement that begins at `element`.
  Expr cells(const Expr &element, int statement) const;

  /// Cells that a statement, outside of steps, reads or writes.
  struct Used {
    Expr
        cells; // a CellVector: that of a vector; or the cell of one column, if columns lie apart and rows side by side
    bool isWritten = false, isTurned = false;
  };
  std::vector<Used> cellsOf(const Assign &) const;

private:
  const Registers::Apart *apart(const Expr &cell, int statement) const;
  Expr value(const Expr &);
  Expr factor(const Expr &);
  std::optional<std::size_t> strip(const Expr &) const;
  /// Whether one statement reads the strip, in one place.
  bool isReadOnce(std::size_t strip) const;
  Expr uniform(const Expr &) const;
  bool moves(const Expr &) const;
  Scalar typeOf(const Expr &) const;

  const Nest &nest_;
  const Registers &registers_;
  const std::string y_, x_;
  int statement_ = -1;
  std::string step_;
  bool perRow_ = false;
  Expr whole_;                                 // what the statement computes
  std::map<std::size_t, Expr> cells_, folded_; // of the strips
  std::vector<Turned> loads_;
  int arrays_ = 0;
};

} // namespace pbc::loop
