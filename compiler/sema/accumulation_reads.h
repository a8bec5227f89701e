// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Widens a region that each point reads to the one that all points of a cell read together.
//
//   A.cell(x, y) a, x summed over   =>  A.row(y) a                      the body reads a.cell(x)
//   X.cell(j) v, j from 0 to i      =>  X.region(0, i) v                the body reads v.cell(j)
//
// Of matrices that rules compute, no more is read than the points need where the loops tell that: else rules would wait for cells
// that wait for them.
#pragma once
#include "compiler/sema/accumulation_loops.h"
#include "compiler/sema/accumulation_scope.h"

namespace pbc::sema {

/// Whether one of the names is in the expression.
bool namesAny(const syntax::Expr &, const std::vector<std::string> &names);

/// Widens a region that names one of the `variables`, and gives what the body reads in the place of its name. The region has as many
/// coordinates as the matrix takes.
std::string widenRead(syntax::Region &, const syntax::MatrixDecl &, const AccumulationScope &,
                      const std::vector<std::string> &variables, const AccumulationLoops &);

} // namespace pbc::sema
