// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What tests of points in blocks are made of: a matrix, and memory of a group in strips of 16.
#pragma once
#include "compiler/loop/tree.h"

namespace pbc::loop {

inline constexpr int kMatrix = 0, kMemory = 1;

inline const Expr kPlace = index("place0"), kPoint = index("item0"), kStep = index("k"), kStrip = index("c0");

inline Expr scalar(const char *name, Scalar type = Scalar::F64) {
  return make(Expression{Local{name, type, {}}});
}
inline Expr element(int buffer, std::vector<Expr> indices) {
  return make(Expression{Element{buffer, std::move(indices)}});
}

/// A matrix, and memory of a group with 16 rows of a cell for each point.
inline std::vector<Matrix> matrices(Scalar type) {
  std::vector<Matrix> all{{"A", type, 1, true}, {"M", type, 2}};
  all[kMemory].ofGroup = {{0, 0, true, 1, 1}, {1, -1, false, 0, 16}};
  return all;
}

} // namespace pbc::loop
