// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes size variables from the extents of matrices, solving all formulas as one system.
//
//   from A[n+m], B[n-m]   ->   n = floordiv(pb_A_0 + pb_B_0, 2), m = ...    pb_A_0: the extent of A at run time
//   from A[n/2]           ->   n = 2*pb_A_0: the smallest n that fits (language reference 2.2)
//   from A[n+m]           ->   error: n and m cannot be inferred
//
// A variable can be inferred when the given extents leave at most a bounded number of values, as integer
// division does. At run time every extent is afterwards compared with its formula, so the solution only has
// to be right when one exists.
#pragma once
#include "compiler/body/facts.h"
#include "compiler/choice/spaces.h"
#include "compiler/source/diagnostics.h"

namespace pbc::choice {

struct SizeSolution {
  std::vector<std::string> cxx; // per size variable: C++ text over extent names (extentName) and params
  std::vector<bool> known;      // false: these matrices do not determine it
};

/// `pb_A_0`: the C++ name of the extent of dimension `d` of a matrix.
std::string extentName(const sema::Matrix &, int d);

/// Solves for the sizes from the extents of the given matrices; if `paramsGiven`, params are known, too.
SizeSolution solveSizes(const sema::Transform &, const std::vector<int> &matrices, bool paramsGiven,
                        const poly::Context &);

/// Reports the size variables that neither a call nor a run can determine.
void checkSizes(const sema::Module &, const std::vector<std::vector<body::Facts>> &, const poly::Context &,
                source::Diagnostics &);

} // namespace pbc::choice
