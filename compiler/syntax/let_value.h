// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds where the value of a constant ends: C++ up to a semicolon.
//
//   let c = f([&] { return a; }()) + 1;      the value is all between `=` and the last `;`
//
// Without a semicolon before a brace that stands in no brackets, or before a line that begins with `let`, it ends with its
// first line.
#pragma once
#include <cstdint>
#include <string_view>

namespace pbc::syntax {

struct LetValue {
  std::uint32_t begin = 0, end = 0; // without the spaces around it; equal if there is none
  bool closed = true;               // by a semicolon
};

/// The value that begins at `at`, behind the `=`.
LetValue findLetValue(std::string_view text, std::uint32_t at);

} // namespace pbc::syntax
