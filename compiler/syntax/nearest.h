// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The word that the user probably meant.
//
//   nearest("frm", {"from", "to"}) => "from"        nearest("zebra", {"from", "to"}) => ""
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pbc::syntax {

/// The candidate with the fewest edits (a swap of neighbours is one edit), if these are at most a third of
/// the word's letters, or one; the first of equals. Empty if none is that near or `word` is a candidate
/// itself.
std::string nearest(std::string_view word, const std::vector<std::string_view> &candidates);

} // namespace pbc::syntax
