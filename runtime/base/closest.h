// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// "Did you mean": the candidate nearest to a misspelt name.
//
//   closest("InsertoinSort", {"InsertionSort", "QuickSort"}) == "InsertionSort"
//   closest("zebra", {"InsertionSort"}) == ""      // nothing is near enough
//
// The distance is that of Damerau and Levenshtein (an exchange of neighbours counts once), case is ignored,
// and it may be at most a third of the length.
#pragma once
#include <string>
#include <vector>

namespace pb::base {

/// The nearest candidate, or "" if none is near.
std::string closest(const std::string &name, const std::vector<std::string> &candidates);

/// "a, b and c" with each name in quotes.
std::string listed(const std::vector<std::string> &names);

/// " (did you mean 'X'?)" or "".
std::string didYouMean(const std::string &name, const std::vector<std::string> &candidates);

} // namespace pb::base
