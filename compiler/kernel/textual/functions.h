// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// isl's functions, conditions and sets as they stand in the text of a kernel: without the parameters, which the kernel names
// once, and under the names of a statement's dimensions.
//
//   [n] -> { S[x, y] -> [(-1 + x)] }            =>  "-1 + x"
//   [n] -> { S[x, y] -> [(x)] : x < n; ... }    =>  "{ S[x, y] -> [(x)] : x < n; ... }", as it has several formulas
//   [n] -> { S[x, y] -> A[x] : x < n }          =>  "A[x : x < n]"
//
// Invariant: fragments.h makes equal objects of these texts, but for a function of one formula, which it takes to be defined
// everywhere.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel::textual {

using Names = std::vector<std::string>; // of dimensions

std::string functionText(const isl::pw_aff &, const Names &);
/// The constraints of a set of any space: "x >= 0 and x < n"; "true" if there are none.
std::string conditionText(const isl::set &, const Names &);
/// isl's text in braces.
std::string setText(const isl::set &, const Names &);
std::string relationText(const isl::map &, const Names &);
/// Whether two sets have equal pieces in the same order, which decides the order of loops over them.
bool areSamePieces(const isl::set &, const isl::set &);
/// isl's text without the parameters: what begins at the first brace.
std::string braces(const std::string &islText);

/// The elements of a buffer that a statement accesses: "A[-1 + x, y]", with a condition where it does not access one at every
/// point; the relation itself if it has several formulas or several elements.
std::string elementText(const isl::map &relation, const Names &);

/// { S[x] -> A[a] : begin <= a < end }: what an argument of a call may touch, if it says nothing else.
isl::map box(const isl::multi_pw_aff &begin, const isl::multi_pw_aff &end);

} // namespace pbc::kernel::textual
