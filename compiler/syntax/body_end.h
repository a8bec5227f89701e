// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a brace-enclosed piece of C++ ends.
//
//   { if (c == '{') f("}"); }  next        => the brace before `next`
//
// Braces in strings, characters and comments do not count.
#pragma once
#include "compiler/syntax/cxx_scan.h"
#include <cstdint>
#include <optional>
#include <string_view>

namespace pbc::syntax {

struct BodyEnd {
  std::uint32_t end = 0; // just behind the closing brace
  bool closed = true;    // false: `end` is where the next transform seems to begin, or the text's end
  std::optional<std::uint32_t> rawBlock; // a `%{` at the head of a line inside
  std::optional<Lexeme> openQuote; // a string or character that does not end on its line; not closed then
};

/// `open`: position of the `{`. With `stopAtUnit` the body ends at the latest where another transform seems
/// to begin: once a file is known to have an unclosed body, this keeps its reading linear.
BodyEnd findBodyEnd(std::string_view text, std::uint32_t open, bool stopAtUnit = false);

/// `open`: position of `%{`. Position behind the closing `%}`; 0 if there is none.
std::uint32_t findRawEnd(std::string_view text, std::uint32_t open);

} // namespace pbc::syntax
