// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the end of C++ text in braces.
//
//   { if (c == '{') f("}"); }  next        => the closing brace before `next`
//
// Braces in strings, characters and comments do not count.
#pragma once
#include "compiler/syntax/cxx_scan.h"
#include <cstdint>
#include <optional>
#include <string_view>

namespace pbc::syntax {

struct BodyEnd {
  std::uint32_t end = 0; // just after the closing brace
  bool closed = true;    // false: `end` is where the next transform seems to begin, or the end of the text
  std::optional<std::uint32_t> rawBlock; // a `%{` at the beginning of a line inside the body
  /// A string or character without an end on its line; the body is not closed then.
  std::optional<Lexeme> openQuote;
};

/// `open`: position of the `{`. With `stopAtUnit` the body ends at the latest where another transform seems
/// to begin: once a file is known to have an unclosed body, this keeps reading it linear.
BodyEnd findBodyEnd(std::string_view text, std::uint32_t open, bool stopAtUnit = false);

/// `open`: position of `%{`. Returns the position after the closing `%}`; 0 if there is none.
std::uint32_t findRawEnd(std::string_view text, std::uint32_t open);

} // namespace pbc::syntax
