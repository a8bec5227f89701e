// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loop trees in a plain form for readers and tests (pbc --emit=loops); no printed language looks like it.
//
//   for c0 = max(1, low0); c0 < high0 [vector:2]
//     array double s
//     s = 0
//     for c1 = 0; c1 <= 2 [unroll]
//       s += A[c0 + c1 - 1]
//     B[c0] = s / 3.0
//
// What a loop is to be realised as stands in brackets, what a compiler of the text is asked to do in braces.
// Invariant: two trees with the same text are the same, but for the access and the statement that a node came from.
#pragma once
#include "compiler/loop/tree.h"

namespace pbc::loop {

std::string text(const Nest &);
/// `body` of the nest, or of what lowering made of it.
std::string text(const Nest &, const NodePtr &body);
std::string text(const Nest &, const Expr &);

} // namespace pbc::loop
