// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc config diff`: where two configurations behave differently.
//
//   differences(a, b)  ->  {"Sort.choice", 341, 65536, "InsertionSort", "QuickSort"}
//     Sort.choice: for n from 341 to 65535: A takes InsertionSort, B takes QuickSort
//     Sort.block: A has 64, B has 128
//
// It compares only the texts: an entry that one of them lacks is a difference, too. Equal behaviour that is
// written in another way (one name instead of a list, a level cut in two) is not a difference.
#pragma once
#include <string>
#include <vector>

namespace pbc::tuner {

struct Difference {
  std::string entry;      // "Sort.choice"
  long from = 0, end = 0; // sizes from <= n < end; both 0: all sizes
  bool isChoice = false;
  std::string left, right; // "": not mentioned
};

/// Throws TunerError for text that is not TOML. [made-by] and comments are ignored.
std::vector<Difference> differences(const std::string &left, const std::string &leftName,
                                    const std::string &right, const std::string &rightName);

std::string inWords(const Difference &);
std::string differencesAsJson(const std::vector<Difference> &);

} // namespace pbc::tuner
