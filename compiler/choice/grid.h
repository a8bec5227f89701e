// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The choice grid: which rules may compute which region of each matrix, and the alternatives that follow.
//
//   Smooth:  B = { [i] : 1 <= i < n-1 } by rule0 | SmoothByPrefixSums
//                { [0]; [n-1] }         by rule1 | SmoothByPrefixSums
//   alternatives: `rule0` (with rule1 at the edges), `SmoothByPrefixSums`
//
// An application's domain is the set of points at which a rule may run: all outputs inside, all inputs in
// bounds, `where` true (language reference 2.3). Pieces partition a matrix by the set of rules that reach a
// cell; of these only the best priority is kept (2.4). An alternative assigns one rule to each piece, and
// this rule gives the cells their values. A rule may be able to fill its pieces only by also writing cells of
// a rule with a better priority (a row whose first cell has such a rule); then it runs before that rule,
// which overwrites those cells. Rules of equal priority are not combined in this way, so a whole-matrix rule
// has all its pieces or none, unless nothing else covers every cell. Sizes stay symbolic: the sets are exact
// for every size, including small ones.
#pragma once
#include "compiler/body/facts.h"
#include "compiler/poly/poly.h"

namespace pbc::choice {

struct Application {
  int rule;
  isl::set domain;              // { R0[i] : ... }
  std::vector<isl::map> writes; // per output: { R0[i] -> B[x] }
  std::vector<isl::map> reads;  // per input
};

struct Piece {
  int matrix;
  isl::set cells;         // { B[x] : ... }
  std::vector<int> rules; // by (priority, source order)
};

/// Sizes for which some needed cell has no rule; checked when the transform starts.
struct SizeGuard {
  isl::set bad;        // parameters only
  std::string message; // "no rule computes B[0] when n = 1"
};

struct Grid {
  isl::set context;                      // sizes that can occur: all extents >= 0
  std::vector<Application> applications; // per rule
  std::vector<Piece> pieces;
  std::vector<SizeGuard> guards;
  std::vector<poly::CellNames> names; // per matrix: the names of its cells in messages and documentation
};

/// A rule in an alternative.
struct Use {
  int rule;
  isl::set domain; // { R0[i] : ... }: the points at which it runs
  /// Per output: { R0[i] -> B[x] }, the cells of other rules' pieces that it writes, and that those rules
  /// overwrite afterwards. Empty: no such cells.
  std::vector<isl::map> overwritten;
};

struct Alternative {
  std::string name; // "InsertionSort", "rule0"
  std::string doc;  // "rule0 on B[1 : n-1], rule1 on B[0], B[n-1]"
  std::vector<int> ruleOfPiece;
  std::vector<Use> uses; // in rule order
};

struct Choices {
  Grid grid;
  std::vector<Alternative> alternatives; // [0] is the default: the first rule of each piece
};

/// Finds applicable regions, pieces and alternatives of every transform. Errors: a cell that no rule computes
/// (with the region), a region that is out of bounds for every size, a rule that writes a cell twice, a
/// `where` that is never true.
std::vector<Choices> chooseGrids(const sema::Module &, const std::vector<std::vector<body::Facts>> &,
                                 poly::Context &, source::Diagnostics &);

/// --emit=grid
std::string print(const sema::Module &, const std::vector<Choices> &);
/// --emit=graph: vertices are regions, hyperedges are rules; `dot`: as Graphviz.
std::string printGraph(const sema::Module &, const std::vector<Choices> &, bool dot);

} // namespace pbc::choice
